package treepage

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/data"
)

// parseTree reads one tree in brackets.
func parseTree(t testing.TB, text string) *data.Tree {
	t.Helper()
	for tree, err := range data.NewPTBReader(strings.NewReader(text), "test", data.PTBOptions{}).All() {
		require.NoError(t, err)
		return tree
	}
	t.Fatal("no tree")
	return nil
}

// always gives every node of t the same probabilities.
func always(t *data.Tree, p ...float64) Tree {
	tree := Tree{Tree: t}
	for range t.Len() {
		tree.Probabilities = append(tree.Probabilities, p)
	}
	return tree
}

func written(t testing.TB, h Head, trees ...Tree) string {
	t.Helper()
	var b bytes.Buffer
	p, err := New(&b, h)
	require.NoError(t, err)
	for _, tree := range trees {
		require.NoError(t, p.Add(tree))
	}
	require.NoError(t, p.Close())
	return b.String()
}

func TestRecord(t *testing.T) {
	tree := Tree{
		Tree:          parseTree(t, "(1 (0 a) (2 (2 b) (1 c)))"),
		Probabilities: [][]float64{{1, 0, 0}, {0.25, 0.25, 0.5}, {0.1996, 0.2, 0.6004}, {0, 0.5, 0.5}, {0.1, 0.2, 0.7}},
		Unknown:       []bool{false, true, false, false, false},
	}
	page := written(t, Head{Classes: Numbered(3)}, tree)
	m := regexp.MustCompile(`<script type="application/json" class="tree" data-wrong>(.*)</script>`).FindStringSubmatch(page)
	require.NotNil(t, m)
	var got record
	require.NoError(t, json.Unmarshal([]byte(m[1]), &got))
	assert.Equal(t, record{
		Parent: []int32{4, 3, 3, 4, -1}, Word: []string{"a", "b", "c", "", ""}, Label: []int32{0, 2, 1, 2, 1}, Unknown: []int32{1}, Told: 3,
		Classes:  []int32{0, 1, 2, 2, 0, 1, 2, 1, 0, 1, 2, 0, 2, 1, 0}, // equal ones by number
		Permille: []int32{1000, 0, 0, 500, 250, 250, 600, 200, 200, 500, 500, 0, 700, 200, 100},
	}, got)
}

func TestOnlyMistakesAtTheRootAreMarked(t *testing.T) {
	for text, want := range map[string]bool{"(1 a)": false, "(0 a)": true, "( a)": false, "(1 (0 a) (0 b))": false} {
		page := written(t, Head{Classes: Numbered(2)}, always(parseTree(t, text), 0.4, 0.6))
		assert.Equal(t, want, strings.Contains(page, " data-wrong>"), text)
	}
}

// Of many classes only the most probable are written.
func TestManyClasses(t *testing.T) {
	p := make([]float64, 1000)
	p[500], p[7] = 0.75, 0.25
	page := written(t, Head{Classes: Numbered(1000)}, always(parseTree(t, "(7 a)"), p...))
	assert.Contains(t, page, `"told":10,"classes":[500,7,0,1,2,3,4,5,6,8],"permille":[750,250,0,0,0,0,0,0,0,0]`)
}

// Text that is not the program's own cannot become markup.
func TestTextIsNoMarkup(t *testing.T) {
	evil := `</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>&"'`
	tree := parseTree(t, "(0 a)")
	tree.Word[0] = evil
	page := written(t, Head{Title: evil, Notes: []string{evil}, Classes: Graded(evil, "b")}, always(tree, 1, 0))
	assert.NotContains(t, page, "alert(1)</script>")
	assert.NotContains(t, page, "<img")
	assert.NotContains(t, page, "<!--")
	assert.Equal(t, 3, strings.Count(page, "</script>"), "classes, the tree and the script")
}

func TestRefusedTrees(t *testing.T) {
	good := parseTree(t, "(1 (0 a) (1 b))")
	broken := *good
	broken.Child = nil
	short := always(good, 0.5, 0.5)
	short.Probabilities = short.Probabilities[1:]
	unknown := always(good, 0.5, 0.5)
	unknown.Unknown = make([]bool, 2)
	for want, tree := range map[string]Tree{
		"there is none":                                 {},
		"0 entries in Child, want 2":                    always(&broken, 0.5, 0.5),
		"got probabilities of 2 nodes, want 3":          short,
		"got 2 entries in Unknown, want 3":              unknown,
		"got 1 probabilities at node 0, the page has 2": always(good, 1),
		"class 1 at node 0 is NaN, want 0 to 1":         always(good, 0.5, math.NaN()),
		"class 0 at node 0 is -0.1, want 0 to 1":        always(good, -0.1, 1),
		"class 1 at node 0 is 1.5, want 0 to 1":         always(good, 0, 1.5),
	} {
		var b bytes.Buffer
		p, err := New(&b, Head{Classes: Numbered(2)})
		require.NoError(t, err)
		before := b.Len()
		err = p.Add(tree)
		assert.ErrorIs(t, err, ErrTree)
		assert.ErrorContains(t, err, want)
		assert.Equal(t, before, b.Len(), "nothing is written")
	}
	p, err := New(&bytes.Buffer{}, Head{})
	require.NoError(t, err)
	assert.ErrorIs(t, p.Add(always(good)), ErrTree, "no classes")
}

// Numbers on discs must be legible, whatever the number of classes: 4.5 is what the
// guidelines ask for, 21 is black on white.
func TestInkIsLegible(t *testing.T) {
	for n := 1; n <= 30; n++ {
		names := make([]string, n)
		for _, scale := range [][]Class{Numbered(n), Graded(names...)} {
			require.Len(t, scale, n)
			for i, c := range scale {
				assert.Greater(t, contrast(parseColour(t, c.Colour), parseColour(t, c.Ink)), 4.5, "class %d of %d: %v", i, n, c)
			}
		}
	}
	assert.InDelta(t, 21, contrast(rgb{}, rgb{255, 255, 255}), 1e-9)
}

func parseColour(t testing.TB, s string) (c rgb) {
	t.Helper()
	require.Regexp(t, `^#[0-9a-f]{6}$`, s)
	for k := range c {
		var x int
		for _, digit := range s[1+2*k : 3+2*k] {
			x = 16*x + strings.IndexRune("0123456789abcdef", digit)
		}
		c[k] = float64(x)
	}
	return c
}

// Order of lightness is what remains of colours without hue.
func TestNumberedColoursBecomeLighter(t *testing.T) {
	last := -1.0
	for _, c := range Numbered(12) {
		l := luminance(parseColour(t, c.Colour))
		assert.Greater(t, l, last)
		last = l
	}
}
