package graph

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteDOT draws the program in the language of Graphviz: a cluster per graph,
// an arrow per operand, and dashed arrows from invocations to what they invoke.
// Variables stand outside of the clusters; constants beside the nodes that use
// them. Labels number values as WriteTo does.
func (p *Program) WriteDOT(w io.Writer) error {
	d := &dotWriter{printer: newPrinter(p), cluster: map[*Graph]int{}}
	d.printf("digraph %s {\n", dotQuote(p.Name))
	d.printf("\tcompound=true\n\tnode [shape=box, fontname=monospace]\n")
	for _, v := range p.Variables {
		d.printf("\tv%d [shape=cylinder, label=%s]\n", v.Index, dotQuote(fmt.Sprintf("@%s\n%v", v.Name, v.Type)))
	}
	for i, g := range p.Graphs {
		d.cluster[g] = i
	}
	for _, g := range p.Graphs {
		d.graph(g)
	}
	for _, g := range p.Graphs {
		for _, n := range g.Nodes {
			d.invocations(n)
		}
	}
	d.printf("}\n")
	_, err := d.buf.WriteTo(w)
	return err
}

type dotWriter struct {
	*printer
	cluster map[*Graph]int
	edges   bytes.Buffer // of the cluster that is being written
}

// graph writes the nodes of g inside their cluster, then its arrows: Graphviz
// would move variables into the cluster if an arrow in it mentioned them.
func (d *dotWriter) graph(g *Graph) {
	i := d.cluster[g]
	d.printf("\tsubgraph cluster%d {\n\t\tlabel=%s\n", i, dotQuote(d.names[g]))
	if g.body {
		d.printf("\t\tstyle=dotted\n")
	}
	d.printf("\t\tg%d [shape=point]\n", i) // where invocations point to
	for _, n := range g.Nodes {
		id := d.id(n)
		d.printf("\t\t%s [label=%s]\n", id, dotQuote(d.label(n)))
		d.operands(id, n.In)
	}
	ret := fmt.Sprintf("g%dr", i)
	d.printf("\t\t%s [shape=ellipse, label=return]\n", ret)
	d.operands(ret, g.Results)
	d.printf("\t}\n")
	d.edges.WriteTo(&d.buf)
}

// id names a node of a graph.
func (d *dotWriter) id(n *Node) string { return fmt.Sprintf("g%dn%d", d.cluster[n.Graph], n.Index) }

func (d *dotWriter) label(n *Node) string {
	var b strings.Builder
	b.WriteString(n.Op.Name())
	if p, ok := n.Op.(Param); ok && p.Label != "" {
		b.WriteString(" " + p.Label)
	}
	for _, a := range n.Op.Attrs() {
		b.WriteString(" " + a.Key + "=" + formatAttr(a.Value))
	}
	for i, t := range n.Out {
		fmt.Fprintf(&b, "\n%s %v", d.ref(n.Result(i)), t)
	}
	return b.String()
}

// operands draws an arrow to node to from each of its operands.
func (d *dotWriter) operands(to string, vs []Value) {
	for i, v := range vs {
		from := ""
		switch op := v.node.Op.(type) {
		case *Read:
			from = fmt.Sprintf("v%d", op.Var.Index)
		case *Const:
			from = fmt.Sprintf("%sc%d", to, i)
			d.printf("\t\t%s [shape=plaintext, label=%s]\n", from, dotQuote(abbreviate(op.String())))
		default:
			from = d.id(v.node)
		}
		label := ""
		if len(vs) > 1 {
			label = fmt.Sprintf(" [headlabel=%d]", i)
		}
		fmt.Fprintf(&d.edges, "\t%s -> %s%s\n", from, to, label)
	}
}

func (d *dotWriter) invocations(n *Node) {
	op, ok := n.Op.(Invoker)
	if !ok {
		return
	}
	for _, callee := range op.Callees() {
		k := d.cluster[callee]
		d.printf("\t%s -> g%d [style=dashed, lhead=cluster%d]\n", d.id(n), k, k)
	}
}

// abbreviate cuts the text of a long constant.
func abbreviate(s string) string {
	const most = 32
	if len(s) <= most {
		return s
	}
	return s[:most-4] + "...)"
}

// dotQuote makes a string of the language of Graphviz.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
