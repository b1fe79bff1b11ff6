package flowchart

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strconv"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/treelstm/internal/layered"
)

// Group is nodes of one graph that belong together, such as a stage of its execution.
type Group struct {
	Name  string
	Nodes []*graph.Node
}

// Options say what is drawn besides the program.
type Options struct {
	// Groups returns the groups of a graph, whose boxes are marked by a colour; nil for
	// none.
	Groups func(*graph.Graph) []Group
}

// Write draws a program.
func Write(w io.Writer, p *graph.Program, o Options) error {
	index, names := map[*graph.Graph]int{}, uniqueNames(p)
	for i, g := range p.Graphs {
		index[g] = i
	}
	panels := make([]*panel, len(p.Graphs))
	for i, g := range p.Graphs {
		var groups []Group
		if o.Groups != nil {
			groups = o.Groups(g)
		}
		var err error
		if panels[i], err = newPanel(g, index, names, groups); err != nil {
			return err
		}
	}
	d := &document{panels: panels}
	size := shelve(panels)
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s">`+"\n", coordinate(size.W), coordinate(size.H), coordinate(size.W), coordinate(size.H))
	d.printf("<title>%s</title>\n%s", html.EscapeString(p.Name), style)
	for i := range panels {
		d.panel(i)
	}
	d.printf("</svg>\n")
	_, err := d.buf.WriteTo(w)
	return err
}

// uniqueNames are those of the graphs in print.
func uniqueNames(p *graph.Program) []string {
	taken := map[string]bool{}
	names := make([]string, len(p.Graphs))
	for i, g := range p.Graphs {
		name := g.Name
		for k := 2; taken[name]; k++ {
			name = g.Name + "." + strconv.Itoa(k)
		}
		taken[name], names[i] = true, name
	}
	return names
}

// widestRow is about the width of a drawing of many panels.
const widestRow = 1500

// shelve places the panels in rows.
func shelve(panels []*panel) layered.Size {
	var total layered.Size
	x, y, row := float64(margin), float64(margin), 0.0
	for _, p := range panels {
		if x > margin && x+p.w > widestRow {
			x, y, row = margin, y+row+margin, 0
		}
		p.at = layered.Point{X: x, Y: y}
		x, row = x+p.w+margin, max(row, p.h)
		total.W, total.H = max(total.W, x), max(total.H, y+row+margin)
	}
	return total
}

const style = `<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#666"/></marker></defs>
<style>
svg { background: #fff; }
text { font: 11px ui-monospace, monospace; fill: #222; }
.name { font-size: 14px; font-weight: bold; }
.first { font-weight: bold; }
.faint { fill: #666; }
.mark { fill: #666; font-size: 10px; }
.panel { fill: #fbfbfa; stroke-width: 1.5; }
.body { stroke-dasharray: 5 3; }
.box { fill: #fff; stroke: #777; }
.parameter { fill: #eceff1; }
.sink { fill: #fff3d6; stroke: #a87400; }
.return { fill: #e3e3e3; stroke: #333; }
.call { stroke-width: 2; }
.arrow { fill: none; stroke: #666; }
</style>
`

// document is an SVG file in the making.
type document struct {
	panels []*panel
	buf    bytes.Buffer
}

func (d *document) printf(format string, args ...any) { fmt.Fprintf(&d.buf, format, args...) }

// coordinate prints a number of pixels with a tenth.
func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

// palette has colours that are told apart by all kinds of colour vision.
var palette = [...]string{"#0072b2", "#d55e00", "#009e73", "#c2589a", "#8a6d00", "#3d9bd6", "#6a3d9a", "#555555"}

// colour tells graphs, and groups within one, from each other, as long as they are few.
func colour(i int) string { return palette[i%len(palette)] }

func (d *document) text(class string, x, y float64, s string) {
	d.printf(`<text class="%s" x="%s" y="%s">%s</text>`+"\n", class, coordinate(x), coordinate(y), html.EscapeString(s))
}

func (d *document) panel(i int) {
	p := d.panels[i]
	class := "panel"
	if p.graph.IsBody() {
		class += " body"
	}
	d.printf(`<g id="graph%d" transform="translate(%s %s)">`+"\n", i, coordinate(p.at.X), coordinate(p.at.Y))
	d.printf(`<rect class="%s" width="%s" height="%s" rx="8" stroke="%s"/>`+"\n", class, coordinate(p.w), coordinate(p.h), colour(i))
	d.printf(`<circle cx="%d" cy="20" r="6" fill="%s"/>`+"\n", margin, colour(i))
	d.text("name", margin+12, 25, p.name)
	d.text("faint", margin, 42, cutHead(signature(p.graph)))
	for k, name := range p.groups {
		y := float64(header + lineHeight*(k+1))
		d.printf(`<rect x="%d" y="%s" width="10" height="10" fill="%s"/>`+"\n", margin, coordinate(y-9), colour(k))
		d.text("faint", margin+16, y, fmt.Sprintf("%d  %s", k, name))
	}
	left, top := (p.w-p.drawing.W)/2, p.h-margin-p.drawing.H
	d.printf(`<g transform="translate(%s %s)">`+"\n", coordinate(left), coordinate(top))
	for _, points := range p.drawing.Arrows {
		d.arrow(points)
	}
	for k := range p.boxes {
		d.box(&p.boxes[k], p.drawing.Centres[k], p.drawing.Boxes[k])
	}
	d.printf("</g>\n</g>\n")
}

// arrow is drawn upright through layers, and in curves between them.
func (d *document) arrow(points []layered.Point) {
	d.printf(`<path class="arrow" marker-end="url(#tip)" d="M%s %s`, coordinate(points[0].X), coordinate(points[0].Y))
	for k := 1; k < len(points); k++ {
		a, b := points[k-1], points[k]
		if a.X == b.X {
			d.printf("V%s", coordinate(b.Y))
			continue
		}
		middle := (a.Y + b.Y) / 2
		d.printf("C%s %s %s %s %s %s", coordinate(a.X), coordinate(middle), coordinate(b.X), coordinate(middle), coordinate(b.X), coordinate(b.Y))
	}
	d.printf("\"/>\n")
}

func (d *document) box(b *box, centre layered.Point, size layered.Size) {
	x, y := centre.X-size.W/2, centre.Y-size.H/2
	d.printf(`<rect class="box %s" x="%s" y="%s" width="%s" height="%s" rx="4"/>`+"\n", kindNames[b.kind], coordinate(x), coordinate(y), coordinate(size.W), coordinate(size.H))
	if b.group >= 0 {
		d.printf(`<rect x="%s" y="%s" width="4" height="%s" fill="%s"/>`+"\n", coordinate(x), coordinate(y), coordinate(size.H), colour(b.group))
		mark := strconv.Itoa(b.group)
		d.text("mark", x+size.W-charWidth*float64(len(mark))-3, y+lineHeight-2, mark)
	}
	y += lineHeight - 2
	for k, line := range b.lines {
		class := "first"
		if k > 0 {
			class = "faint"
		}
		d.text(class, x+padding, y, line)
		y += lineHeight
	}
	for _, callee := range b.callees {
		d.printf(`<a href="#graph%d"><circle cx="%s" cy="%s" r="4" fill="%s"/>`, callee, coordinate(x+padding+4), coordinate(y-4), colour(callee))
		d.text("first", x+padding+12, y, cut(d.panels[callee].name))
		d.printf("</a>\n")
		y += lineHeight
	}
}
