package flowchart

import (
	"fmt"
	"strings"

	"github.com/frondml/frond/graph"
)

// numbers gives the values of a graph the numbers that they have in print.
func numbers(g *graph.Graph) map[graph.Value]int {
	number := map[graph.Value]int{}
	for _, n := range g.Nodes {
		for i := range n.Out {
			number[n.Result(i)] = len(number)
		}
	}
	return number
}

// title is the first line of a node's box. What is false is not worth a word.
func title(n *graph.Node) string {
	if p, ok := n.Op.(graph.Param); ok {
		if p.Label != "" {
			return p.Label
		}
		return "parameter"
	}
	var b strings.Builder
	b.WriteString(n.Op.Name())
	for _, a := range n.Op.Attrs() {
		switch a.Value {
		case false:
		case true:
			b.WriteString(" " + a.Key)
		default:
			fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		}
	}
	return cut(b.String())
}

// results are the further lines: numbers and types of what the node computes.
func results(n *graph.Node, number map[graph.Value]int) []string {
	var lines []string
	for i, t := range n.Out {
		lines = append(lines, fmt.Sprintf("%%%d %v", number[n.Result(i)], t))
	}
	return lines
}

// operands lists what a node, or the results of a graph, are computed from.
func operands(vs []graph.Value, number map[graph.Value]int) string {
	parts := make([]string, len(vs))
	for i, v := range vs {
		switch op := v.Node().Op.(type) {
		case *graph.Read:
			parts[i] = "@" + op.Var.Name
		case *graph.Const:
			parts[i] = cut(op.String())
		default:
			parts[i] = fmt.Sprintf("%%%d", number[v])
		}
	}
	return strings.Join(parts, ", ")
}

// broken breaks a list with commas into lines.
func broken(list string) []string {
	var lines []string
	for len(list) > widest {
		at := strings.LastIndex(list[:widest], ", ")
		if at < 0 {
			break
		}
		lines, list = append(lines, list[:at+1]), list[at+2:]
	}
	if list != "" {
		lines = append(lines, list)
	}
	return lines
}

// widest is about the length of the longest line.
const widest = 34

// cut cuts a long text.
func cut(s string) string {
	if runes := []rune(s); len(runes) > widest {
		return string(runes[:widest-1]) + "…"
	}
	return s
}

// signature is what stands above a panel behind the name.
func signature(g *graph.Graph) string {
	types := func(ts []graph.Type) string {
		parts := make([]string, len(ts))
		for i, t := range ts {
			parts[i] = t.String()
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("(%s) → (%s)", types(g.In), types(g.Out))
}
