package optest

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// build returns the graph around the case's operator, with its adjoint. When wrap
// is given, it replaces the operator of every node first.
func (c Case) build(wrap func(graph.Op) graph.Op) (*graph.Graph, error) {
	out, err := c.resultType()
	if err != nil {
		return nil, err
	}
	m := graph.NewModule(c.Name)
	g := m.Declare("case", c.specs(), []graph.Value{graph.Spec(out)})
	g.Define(nil, func(in []graph.Value) []graph.Value { return []graph.Value{c.Build(m, in)} })
	if wrap != nil {
		for _, n := range g.Nodes {
			n.Op = wrap(n.Op)
		}
	}
	if _, err := m.Build(); err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	return g, nil
}

// resultType builds the case in a module of its own, because a graph's results
// are declared before its body.
func (c Case) resultType() (graph.Type, error) {
	m := graph.NewModule(c.Name)
	g := m.Declare("case", c.specs(), nil)
	var out graph.Value
	g.Define(nil, func(in []graph.Value) []graph.Value {
		out = c.Build(m, in)
		return nil
	})
	if _, err := m.Build(); err != nil {
		return graph.Type{}, fmt.Errorf("building: %w", err)
	}
	return out.Type(), nil
}

func (c Case) specs() []graph.Value {
	vs := make([]graph.Value, len(c.In))
	for i, t := range c.In {
		vs[i] = graph.Spec(t)
	}
	return vs
}

// Ops returns the operators of the case's graph and those of its adjoint, in order.
func (c Case) Ops() (forward, adjoint []graph.Op, err error) {
	g, err := c.build(nil)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range operatorNodes(g) {
		if n.Graph == g {
			forward = append(forward, n.Op)
		} else {
			adjoint = append(adjoint, n.Op)
		}
	}
	return forward, adjoint, nil
}
