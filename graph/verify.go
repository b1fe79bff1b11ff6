package graph

import (
	"errors"
	"fmt"
)

// Verify checks that the program is well formed: every input is computed
// earlier in the same graph or is global, types are what the operators infer,
// invocations fit the signatures, results fit the declarations, and the rows of a
// table have one type. A failure
// is a mistake of a pass, not of a user.
func (p *Program) Verify() error {
	var errs []error
	for _, g := range p.Graphs {
		if err := g.verify(); err != nil {
			errs = append(errs, err)
		}
	}
	for _, c := range conflicts(p.Graphs) {
		errs = append(errs, c.err())
	}
	return errors.Join(errs...)
}

func (p *Program) verifyAdjoints() error {
	var errs []error
	for _, g := range p.Graphs {
		if err := g.Adjoint.Body.verifyNodes(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (g *Graph) verify() error {
	if err := g.verifyNodes(); err != nil {
		return err
	}
	if len(g.Params) != len(g.In)+len(g.Captures) {
		return fmt.Errorf("%w: %s has %d parameters for %d inputs and %d captured values", ErrInvalid, g.Name, len(g.Params), len(g.In), len(g.Captures))
	}
	for i, v := range g.Params {
		if v.node != g.Nodes[i] {
			return fmt.Errorf("%w: parameter %d of %s is not its node %d", ErrInvalid, i, g.Name, i)
		}
	}
	if len(g.Results) != len(g.Out) {
		return fmt.Errorf("%w: %s returns %d results for %d declared", ErrInvalid, g.Name, len(g.Results), len(g.Out))
	}
	for i, v := range g.Results {
		if v.node == nil || !v.IsGlobal() && v.node.Graph != g {
			return fmt.Errorf("%w: result %d of %s is the %v", ErrInvalid, i, g.Name, v)
		}
		if !v.Type().Equal(g.Out[i]) {
			return fmt.Errorf("%w: result %d of %s is %v, declared %v", ErrInvalid, i, g.Name, v.Type(), g.Out[i])
		}
	}
	return nil
}

func (g *Graph) verifyNodes() error {
	for i, n := range g.Nodes {
		if n.Index != i || n.Graph != g {
			return fmt.Errorf("%w: node %d of %s says that it is node %d of %s", ErrInvalid, i, g.Name, n.Index, n.Graph.Name)
		}
		if err := n.verify(); err != nil {
			return fmt.Errorf("%w: %s, node %d, %s (%v): %w", ErrInvalid, g.Name, i, n.Op.Name(), n.Pos, err)
		}
	}
	return nil
}

func (n *Node) verify() error {
	for i, v := range n.In {
		switch {
		case v.node == nil:
			return fmt.Errorf("input %d is the %v", i, v)
		case v.IsGlobal() || n.Graph.isAdjointOf(v.node.Graph):
		case v.node.Graph != n.Graph:
			return fmt.Errorf("input %d belongs to %s", i, v.node.Graph.Name)
		case v.node.Index >= n.Index:
			return fmt.Errorf("input %d is computed later, by node %d", i, v.node.Index)
		}
	}
	if _, ok := n.Op.(Param); ok {
		return nil
	}
	out, err := n.Op.Infer(n.InTypes())
	if err != nil {
		return err
	}
	if len(out) != len(n.Out) {
		return fmt.Errorf("%d results, %d inferred", len(n.Out), len(out))
	}
	for i := range out {
		if !out[i].Equal(n.Out[i]) {
			return fmt.Errorf("result %d is %v, inferred %v", i, n.Out[i], out[i])
		}
	}
	return nil
}

// isAdjointOf reports whether g holds the adjoint of forward, whose values it
// may therefore use.
func (g *Graph) isAdjointOf(forward *Graph) bool {
	return g.Parent == forward && forward.Adjoint != nil && forward.Adjoint.Body == g
}
