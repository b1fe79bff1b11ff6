package treepage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/treelstm/internal/browser"
)

// TestInBrowser shows pages in one browser, since starting one takes longer than all
// that is done with it. Nothing may go wrong in a page, and nothing but the page may be
// loaded.
func TestInBrowser(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.html")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	p := browser.Open(t, empty, 1280, 900)
	for name, test := range map[string]func(*testing.T, *browser.Page){
		"drawing": testDrawing, "keys": testKeys, "pages": testPages, "large trees": testLargeTrees, "widths": testWidths,
	} {
		test(t, p)
		p.Keep("trees, " + name)
		assert.Empty(t, p.Errors(), name)
		assert.Len(t, p.Requests(), 1, name)
	}
}

// show shows a page in a window of the given width.
func show(t *testing.T, p *browser.Page, width int, h Head, trees ...Tree) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trees.html")
	require.NoError(t, os.WriteFile(file, []byte(written(t, h, trees...)), 0o600))
	p.Resize(width, 900)
	p.Load(file)
}

func number(p *browser.Page, expression string) (n int) {
	p.Eval(expression, &n)
	return n
}

func text(p *browser.Page, expression string) (s string) {
	p.Eval(expression, &s)
	return s
}

const drawn = `document.querySelectorAll("g[role=treeitem]").length`

func testDrawing(t *testing.T, p *browser.Page) {
	evil := `<b>x</b>`
	tree := parseTree(t, "(1 (0 a) (1 (1 b) (0 c)))")
	tree.Word[1] = evil
	shown := always(tree, 0.25, 0.75)
	shown.Unknown = []bool{true, false, false, false, false}
	show(t, p, 1280, Head{Title: "T", Notes: []string{"n"}, Classes: Graded("bad", "good")}, shown)

	assert.Equal(t, 5, number(p, drawn))
	assert.Equal(t, "a|"+evil+"|c", text(p, `[...document.querySelectorAll("svg .word")].map(w => w.textContent).join("|")`))
	assert.Equal(t, "a", text(p, `document.querySelector("svg .word.unknown").textContent`))
	assert.Equal(t, "0,2", text(p, `[...document.querySelectorAll(".ring")].map(r => r.parentNode.dataset.node).sort().join()`), "labels that differ from the class")
	assert.Equal(t, "a "+evil+" c: class 1 good, 75.0 %, label 1", text(p, `document.querySelector("g[data-node='4']").getAttribute("aria-label")`))
	assert.Zero(t, number(p, `document.querySelectorAll("b").length`))
	assert.Contains(t, text(p, `document.querySelector("aside").textContent`), "0bad1good")

	// A node tells its probabilities when it is pointed at.
	p.Point("g[data-node='3']")
	told := text(p, `document.querySelector("aside").innerText`)
	for _, want := range []string{evil + " c", "1 good", "25.0 %", "75.0 %", "Fold"} {
		assert.Contains(t, told, want)
	}
	// Words stand to the right of all nodes, children below each other.
	assert.True(t, boolean(p, `(() => {
		const at = i => document.querySelector("g[data-node='" + i + "'] .disc").getBoundingClientRect();
		return at(4).x < at(3).x && at(3).x < at(0).x && at(0).x === at(1).x && at(0).y < at(1).y && at(1).y < at(2).y && at(1).y < at(3).y && at(3).y < at(2).y;
	})()`))
}

func boolean(p *browser.Page, expression string) (b bool) {
	p.Eval(expression, &b)
	return b
}

func testKeys(t *testing.T, p *browser.Page) {
	show(t, p, 1280, Head{Classes: Numbered(2)}, always(parseTree(t, "(1 (0 a) (1 (1 b) (0 c)))"), 0.25, 0.75))
	focus := func() string { return text(p, `document.activeElement.dataset.node ?? document.activeElement.tagName`) }
	p.Press("Tab")
	assert.Equal(t, "SUMMARY", focus())
	p.Press("Tab")
	assert.Equal(t, "4", focus(), "one node per tree is reached by the tab key: the root")
	for _, step := range []struct{ key, node string }{
		{"ArrowRight", "0"}, {"ArrowDown", "4"}, {"ArrowDown", "1"}, {"ArrowDown", "3"}, {"ArrowDown", "2"}, {"ArrowDown", "2"},
		{"ArrowLeft", "3"}, {"ArrowUp", "1"}, {"Home", "4"}, {"ArrowLeft", "4"},
	} {
		p.Press(step.key)
		assert.Equal(t, step.node, focus(), step.key)
	}
	assert.Contains(t, text(p, `document.querySelector("aside").innerText`), "75.0 %", "the focus tells, too")

	p.Press("ArrowDown")
	p.Press("ArrowDown")
	require.Equal(t, "3", focus())
	p.Press("Enter")
	assert.Equal(t, 3, number(p, drawn), "the subtree is folded")
	assert.Equal(t, "3", focus())
	assert.Contains(t, text(p, `document.querySelector(".folded").textContent`), "b c (3 nodes)")
	p.Press("ArrowRight")
	assert.Equal(t, 5, number(p, drawn))
	p.Click("aside button")
	assert.Equal(t, 3, number(p, drawn))
}

func testPages(t *testing.T, p *browser.Page) {
	var trees []Tree
	for i := range 23 {
		trees = append(trees, always(parseTree(t, fmt.Sprintf("(%d (1 word%d) (1 x))", i%2, i)), 0.25, 0.75))
	}
	show(t, p, 1280, Head{Classes: Numbered(2)}, trees...)
	shown := func() string {
		return text(p, `[...document.querySelectorAll("svg .word")].map(w => w.textContent).filter(w => w.startsWith("word")).join()`)
	}
	p.Wait(drawn + ` === 30`)
	assert.Equal(t, "word0,word1,word2,word3,word4,word5,word6,word7,word8,word9", shown())
	p.Click("nav button:last-of-type")
	p.Click("nav button:last-of-type")
	p.Wait(drawn + ` === 9`)
	assert.Equal(t, "word20,word21,word22", shown())
	assert.Contains(t, text(p, `document.querySelector("nav").innerText`), "trees 21 to 23 of 23")
	p.Click("nav input")
	p.Wait(drawn + ` === 30`)
	assert.Equal(t, "word0,word2,word4,word6,word8,word10,word12,word14,word16,word18", shown(), "only mistakes")
	p.Click("summary")
	p.Wait(`document.querySelector("details").open === false`)
}

// A long chain and a million nodes must not make the browser wait: only the upper part
// is drawn.
func testLargeTrees(t *testing.T, p *browser.Page) {
	const n = 20000
	deep := parseTree(t, strings.Repeat("(0 (0 a) ", n-1)+"(0 z)"+strings.Repeat(")", n-1))
	show(t, p, 400, Head{Classes: Numbered(2)}, always(deep, 0.25, 0.75))
	p.Wait(drawn + ` > 0`)
	assert.Equal(t, 81, number(p, drawn), "40 levels and what is below them")
	assert.True(t, boolean(p, `document.documentElement.scrollWidth <= 400`), "wide trees scroll for themselves")
	p.Eval(`document.querySelector(".folded").parentNode.dispatchEvent(new MouseEvent("click", {bubbles: true}))`, nil)
	assert.Equal(t, 161, number(p, drawn), "40 levels more")

	wide := "(0 a)"
	for range 12 {
		wide = "(0 " + wide + " " + wide + ")"
	}
	show(t, p, 400, Head{Classes: Numbered(2)}, always(parseTree(t, wide), 0.25, 0.75))
	p.Wait(drawn + ` > 0`)
	assert.Equal(t, 599, number(p, drawn), "300 rows and the nodes that join them")
	p.Eval(`document.querySelector(".folded").parentNode.dispatchEvent(new MouseEvent("click", {bubbles: true}))`, nil)
	assert.Equal(t, 599+14, number(p, drawn), "a subtree of 8 words in place of a row")
}

// Nothing is cut off or overlaps at the widths of a telephone and of a desk.
func testWidths(t *testing.T, p *browser.Page) {
	sentence := parseTree(t, "(1 (0 (0 Nobody) (0 has)) (1 (1 (1 seen) (0 a)) (1 (1 sentence) (0 (0 that) (1 (1 is) (1 (0 considerably) (1 longer)))))))")
	show(t, p, 1280, Head{Classes: Graded("negative", "positive")}, always(sentence, 0.25, 0.75))
	for _, width := range []int{400, 1280} {
		p.Resize(width, 900)
		p.Wait(fmt.Sprintf(`innerWidth === %d`, width))
		p.Wait(`document.querySelector("svg").getBoundingClientRect().right <= document.querySelector(".canvas").getBoundingClientRect().right + 1`)
		assert.True(t, boolean(p, `document.documentElement.scrollWidth <= innerWidth`), width)
		assert.True(t, boolean(p, `(() => {
			const discs = [...document.querySelectorAll(".disc")].map(d => d.getBoundingClientRect());
			return discs.every((a, i) => discs.every((b, j) => i === j || Math.hypot(a.x - b.x, a.y - b.y) >= a.width - 1));
		})()`), "discs do not overlap at %d", width)
	}
}
