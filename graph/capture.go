package graph

import (
	"fmt"
	"slices"
)

// lift turns values that bodies use of enclosing graphs into parameters, and
// passes them at every invocation (lambda lifting). The sets of captured values
// are the least fixed point over all invocations.
func (m *Module) lift() {
	l := &lifter{captures: map[*Graph][]Value{}, m: m}
	for _, g := range m.graphs {
		for _, n := range g.Nodes {
			l.use(g, n.In)
		}
		l.use(g, g.Results)
	}
	for l.changed = true; l.changed; {
		l.changed = false
		for _, g := range m.graphs {
			for _, n := range g.Nodes {
				if c, ok := n.Op.(Invoker); ok {
					l.invocation(g, n, c.Callees())
				}
			}
		}
		if len(m.errs) > 0 {
			return
		}
	}
	for _, g := range m.graphs {
		l.bind(g)
	}
}

type lifter struct {
	m        *Module
	captures map[*Graph][]Value
	changed  bool
}

func (l *lifter) use(g *Graph, vs []Value) {
	for _, v := range vs {
		if !v.IsPoison() && !v.IsGlobal() && v.Graph() != g {
			l.need(g, v)
		}
	}
}

func (l *lifter) need(g *Graph, v Value) {
	if !slices.Contains(l.captures[g], v) {
		l.captures[g] = append(l.captures[g], v)
		l.changed = true
	}
}

// invocation makes the callees of one node capture the same values and their
// caller provide them.
func (l *lifter) invocation(g *Graph, n *Node, callees []*Graph) {
	for _, c := range callees {
		for _, v := range l.captures[c] {
			for _, other := range callees {
				l.need(other, v)
			}
			if v.Graph() == g {
				continue
			}
			if !g.within(v.Graph()) {
				l.m.Fail(n.Pos, n.Op.Name(), fmt.Errorf("%w: %s uses the %v and can be invoked only inside %s, not in %s",
					ErrScope, c.Name, v, v.Graph().Name, g.Name))
				continue
			}
			l.need(g, v)
		}
	}
	if len(callees) > 1 { // one argument list serves them all
		for _, c := range callees[1:] {
			l.captures[c] = slices.Clone(l.captures[callees[0]])
		}
	}
}

// within reports whether g is outer or lies in the body of outer.
func (g *Graph) within(outer *Graph) bool {
	for ; g != nil; g = g.Parent {
		if g == outer {
			return true
		}
	}
	return false
}

// bind gives g its captured parameters, rewrites the uses of captured values and
// completes the argument lists of the invocations in g.
func (l *lifter) bind(g *Graph) {
	explicit, own := len(g.Params), g.Nodes
	g.Captures = l.captures[g]
	g.Nodes = slices.Clone(own[:explicit])
	inner := map[Value]Value{}
	for _, v := range g.Captures {
		label := ""
		if p, ok := v.node.Op.(Param); ok {
			label = p.Label
		}
		inner[v] = g.addParam(Param{Label: label, Captured: true}, v.Type())
	}
	g.Nodes = append(g.Nodes, own[explicit:]...)
	rewrite := func(vs []Value) {
		for i, v := range vs {
			if w, ok := inner[v]; ok {
				vs[i] = w
			}
		}
	}
	for i, n := range g.Nodes {
		n.Index = i
		if c, ok := n.Op.(Invoker); ok {
			n.In = append(n.In, l.captures[c.Callees()[0]]...)
		}
		rewrite(n.In)
	}
	rewrite(g.Results)
}
