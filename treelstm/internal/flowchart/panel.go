package flowchart

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/treelstm/internal/layered"
)

// Measures of boxes and panels, in pixels.
const (
	fontSize   = 11
	charWidth  = 6.7 // of the monospaced font
	lineHeight = 14
	padding    = 7
	header     = 44 // of a panel
	margin     = 16
)

// kind is how a box is drawn.
type kind int

const (
	plain kind = iota
	parameter
	call
	sink
	ret
)

var kindNames = [...]string{plain: "plain", parameter: "parameter", call: "call", sink: "sink", ret: "return"}

// box is a node, or the results of a graph.
type box struct {
	kind    kind
	lines   []string // the first one stands out
	callees []int    // panels
	group   int      // of the panel's groups, -1 for none
}

// panel is a graph that has been laid out.
type panel struct {
	graph   *graph.Graph
	name    string
	boxes   []box
	groups  []string
	names   []string // of all graphs
	drawing *layered.Drawing
	w, h    float64
	at      layered.Point // of the upper left corner
}

// newPanel lays a graph out. Index has the numbers of all graphs, names their names.
func newPanel(g *graph.Graph, index map[*graph.Graph]int, names []string, groups []Group) (*panel, error) {
	p := &panel{graph: g, name: names[index[g]], names: names}
	number := numbers(g)
	group := p.addGroups(groups)
	var arrows [][2]int
	connect := func(vs []graph.Value, to int) {
		seen := map[int]bool{}
		for _, v := range vs {
			if from := v.Node().Index; !v.IsGlobal() && !seen[from] {
				seen[from] = true
				arrows = append(arrows, [2]int{from, to})
			}
		}
	}
	for i, n := range g.Nodes {
		b := box{kind: kindOf(n), lines: []string{title(n)}, group: -1}
		if in, ok := group[n]; ok {
			b.group = in
		}
		b.lines = append(b.lines, broken(operands(n.In, number))...)
		b.lines = append(b.lines, results(n, number)...)
		if op, ok := n.Op.(graph.Invoker); ok {
			for _, callee := range op.Callees() {
				b.callees = append(b.callees, index[callee])
			}
		}
		p.boxes = append(p.boxes, b)
		connect(n.In, i)
	}
	p.boxes = append(p.boxes, box{kind: ret, lines: append([]string{"return"}, broken(operands(g.Results, number))...), group: -1})
	connect(g.Results, len(g.Nodes))
	return p, p.layout(arrows)
}

func (p *panel) addGroups(groups []Group) map[*graph.Node]int {
	of := map[*graph.Node]int{}
	for i, g := range groups {
		p.groups = append(p.groups, g.Name)
		for _, n := range g.Nodes {
			of[n] = i
		}
	}
	return of
}

func (p *panel) layout(arrows [][2]int) error {
	sizes := make([]layered.Size, len(p.boxes))
	for i, b := range p.boxes {
		longest := 0
		for _, line := range b.lines {
			longest = max(longest, utf8.RuneCountInString(line))
		}
		if b.group >= 0 {
			longest = max(longest, utf8.RuneCountInString(b.lines[0])+len(strconv.Itoa(b.group)))
		}
		for _, callee := range b.callees {
			const mark = 2 // characters that the mark takes
			longest = max(longest, mark+utf8.RuneCountInString(cut(p.names[callee])))
		}
		sizes[i] = layered.Size{W: charWidth*float64(longest) + 2*padding, H: float64(lineHeight*(len(b.lines)+len(b.callees)) + padding)}
	}
	var err error
	if p.drawing, err = layered.Layout(sizes, arrows); err != nil {
		return fmt.Errorf("graph %s: %w", p.name, err)
	}
	head := max(utf8.RuneCountInString(p.name), utf8.RuneCountInString(cutHead(signature(p.graph))))
	p.w = max(p.drawing.W, charWidth*float64(head)) + 2*margin
	p.h = p.drawing.H + header + 2*margin + float64(lineHeight*len(p.groups))
	return nil
}

// cutHead cuts the signature of a graph.
func cutHead(s string) string {
	const most = 100
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

func kindOf(n *graph.Node) kind {
	switch n.Op.(type) {
	case graph.Param:
		return parameter
	case graph.Invoker:
		return call
	case graph.Sink:
		return sink
	}
	return plain
}
