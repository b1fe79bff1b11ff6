package flowchart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/treelstm/internal/browser"
	"github.com/frondml/frond/treelstm/internal/layered"
)

func treeLSTM(t testing.TB) *graph.Program {
	t.Helper()
	m := graph.NewModule("a <tree> & more")
	models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: 10, Embed: 4, Hidden: 3, Classes: 2})
	p, err := m.Build()
	require.NoError(t, err)
	return p
}

func drawn(t testing.TB, p *graph.Program, o Options) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, p, o))
	return b.String()
}

// texts returns the texts of an SVG file of the given class, unescaped; it fails when
// that is no XML.
func texts(t testing.TB, svg, class string) []string {
	t.Helper()
	var all []string
	d := xml.NewDecoder(strings.NewReader(svg))
	for inside := false; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			inside = false
			for _, a := range x.Attr {
				inside = inside || x.Name.Local == "text" && a.Name.Local == "class" && a.Value == class
			}
		case xml.CharData:
			if inside {
				all = append(all, string(x))
			}
		case xml.EndElement:
			inside = false
		}
	}
}

// Every graph has a panel, every line of the printed program a box with the same
// numbers and types.
func TestDrawingSaysWhatThePrintSays(t *testing.T) {
	p := treeLSTM(t)
	svg := drawn(t, p, Options{})
	var names []string
	for line := range strings.Lines(p.String()) {
		if f := strings.Fields(line); len(f) > 0 && (f[0] == "graph" || f[0] == "body") {
			name, _, _ := strings.Cut(f[1], "(")
			names = append(names, name)
		}
	}
	assert.Equal(t, names, texts(t, svg, "name"))

	faint := texts(t, svg, "faint")
	lines := 0
	for line := range strings.Lines(p.String()) {
		before, _, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok {
			continue
		}
		lines++
		for result := range strings.SplitSeq(before, ", ") {
			assert.Contains(t, faint, result)
		}
	}
	assert.Greater(t, lines, 30)
	boxes := 0
	for _, g := range p.Graphs {
		boxes += len(g.Nodes) + 1 // with the results
	}
	assert.Equal(t, boxes, strings.Count(svg, `<rect class="box `))
	assert.Contains(t, faint, "%6, @W")
}

// What is invoked can be reached by clicking.
func TestInvocationsLeadToPanels(t *testing.T) {
	svg := drawn(t, treeLSTM(t), Options{})
	links := regexp.MustCompile(`<a href="#(graph\d+)">`).FindAllStringSubmatch(svg, -1)
	assert.Len(t, links, 5, "the root, two branches and two children")
	for _, link := range links {
		assert.Equal(t, 1, strings.Count(svg, `<g id="`+link[1]+`"`))
	}
}

func TestGroups(t *testing.T) {
	p := treeLSTM(t)
	svg := drawn(t, p, Options{Groups: func(g *graph.Graph) []Group {
		return []Group{{"odd <&>", g.Nodes[:1]}, {"rest", g.Nodes[1:]}}
	}})
	assert.Equal(t, len(p.Graphs), strings.Count(svg, "odd &lt;&amp;&gt;"))
	nodes := 0
	for _, g := range p.Graphs {
		nodes += len(g.Nodes)
	}
	assert.Equal(t, nodes, strings.Count(svg, `width="4"`), "a mark per node")
}

func TestNamesAreNoMarkup(t *testing.T) {
	m := graph.NewModule("</title><script>alert(1)</script>")
	v := m.Var(`w"><b>`, graph.F32(2), graph.Zeros())
	f := recursion.Declare(m, "<i>f</i>", graph.F32(2), graph.F32(2))
	f.Define(func(x graph.Value) graph.Value { return ops.Add(x, v) })
	p, err := m.Build()
	require.NoError(t, err)
	svg := drawn(t, p, Options{})
	assert.Contains(t, texts(t, svg, "faint"), `%0, @w"><b>`)
	assert.Equal(t, []string{"<i>f</i>"}, texts(t, svg, "name"))
	assert.NotContains(t, svg, "<script>")
}

func TestTooLarge(t *testing.T) {
	m := graph.NewModule("large")
	f := recursion.Declare(m, "f", graph.F32(), graph.F32())
	f.Define(func(x graph.Value) graph.Value {
		y := x
		for range 300 {
			y = ops.Add(ops.Mul(y, x), x)
		}
		return y
	})
	p, err := m.Build()
	require.NoError(t, err)
	var b bytes.Buffer
	err = Write(&b, p, Options{})
	assert.ErrorIs(t, err, layered.ErrTooLarge)
	assert.ErrorContains(t, err, "graph f: ")
	assert.Zero(t, b.Len())
}

// In a browser, texts stay inside their boxes and boxes inside their panels, whatever
// fonts it has.
func TestTextsFitTheirBoxes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.svg")
	require.NoError(t, os.WriteFile(file, []byte(drawn(t, treeLSTM(t), Options{})), 0o600))
	p := browser.Open(t, file, 1400, 900)
	var outside []string
	p.Eval(`(() => {
		const boxes = [...document.querySelectorAll("rect.box")].map(b => b.getBoundingClientRect());
		const panels = [...document.querySelectorAll("rect.panel")].map(b => b.getBoundingClientRect());
		const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
		const lost = [...document.querySelectorAll("text")].filter(t => {
			const r = t.getBoundingClientRect();
			const within = t.matches(".name") || t.parentNode.id ? panels : boxes;
			return !within.some(b => inside(r, b));
		}).map(t => t.textContent);
		return lost.concat(boxes.filter(b => !panels.some(p => inside(b, p))).map(() => "box"));
	})()`, &outside)
	assert.Empty(t, outside)
	assert.Empty(t, p.Errors())
}
