package graph

import (
	"errors"
	"fmt"
	"slices"
)

// Program is a checked, immutable module.
type Program struct {
	Name      string
	Graphs    []*Graph // in order of declaration, bodies included
	Variables []*Variable
}

// Build checks the module, turns captured values into parameters, derives the
// adjoints and returns the program, or every mistake made while building. A
// module is built into one program: to build it again, or to add to it, is a
// mistake that leaves the program as it is.
func (m *Module) Build() (*Program, error) {
	if m == nil {
		return nil, &BuildError{CallerPos(), "Build", fmt.Errorf("%w: the module is nil", ErrInvalid)}
	}
	if !m.mayChange("Build") {
		return nil, errors.Join(m.errs...)
	}
	if m.open != nil {
		m.Errorf("Build", "%w: called inside the body of %s", ErrScope, m.open.Name)
		return nil, errors.Join(m.errs...)
	}
	for _, g := range m.graphs {
		if !g.defined {
			m.Fail(g.Pos, "Declare "+g.Name, fmt.Errorf("%w: never defined", ErrUndefined))
		}
	}
	if len(m.errs) > 0 {
		return nil, errors.Join(m.errs...)
	}
	for _, c := range conflicts(m.graphs) {
		m.Fail(c.second.Pos, c.second.Op.Name(), c.err())
	}
	if len(m.errs) > 0 {
		return nil, m.errors()
	}
	m.lift()
	m.reportUnused()
	if len(m.errs) > 0 {
		return nil, errors.Join(m.errs...)
	}
	p := &Program{Name: m.Name, Graphs: slices.Clone(m.graphs), Variables: slices.Clone(m.vars)}
	if err := p.finish(m); err != nil {
		return nil, err
	}
	m.built = true
	return p, nil
}

// finish verifies the program of m and derives the adjoints.
func (p *Program) finish(m *Module) error {
	if err := p.Verify(); err != nil {
		return err
	}
	defer m.enter()() // for mistakes of gradient rules
	for _, g := range p.Graphs {
		if g.Adjoint == nil {
			g.Adjoint = Differentiate(g)
		}
	}
	if len(m.errs) > 0 {
		return m.errors()
	}
	return p.verifyAdjoints()
}

// Graph returns the first graph called name that is not an anonymous body.
func (p *Program) Graph(name string) *Graph {
	for _, g := range p.Graphs {
		if g.Name == name && !g.body {
			return g
		}
	}
	return nil
}

// Variable returns the variable called name, nil when there is none.
func (p *Program) Variable(name string) *Variable {
	for _, v := range p.Variables {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Entries returns the graphs declared at module level: those that can be run.
func (p *Program) Entries() []*Graph {
	return slices.DeleteFunc(slices.Clone(p.Graphs), func(g *Graph) bool { return g.Parent != nil })
}

// reportUnused records variables that nothing reachable reads and graphs that
// nothing can invoke.
func (m *Module) reportUnused() {
	reached := map[*Graph]bool{}
	read := map[*Variable]bool{}
	var todo []*Graph
	reach := func(g *Graph) {
		if !reached[g] {
			reached[g] = true
			todo = append(todo, g)
		}
	}
	for _, g := range m.graphs {
		if g.Parent == nil {
			reach(g)
		}
	}
	for len(todo) > 0 {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		use := func(vs []Value) {
			for _, v := range vs {
				if r := v.Variable(); r != nil {
					read[r] = true
				}
			}
		}
		use(g.Results)
		for _, n := range g.Nodes {
			use(n.In)
			if c, ok := n.Op.(Invoker); ok {
				for _, callee := range c.Callees() {
					reach(callee)
				}
			}
		}
	}
	for _, g := range m.graphs {
		if !reached[g] {
			m.Fail(g.Pos, "Declare "+g.Name, fmt.Errorf("%w: nothing invokes it", ErrUnused))
		}
	}
	for _, v := range m.vars {
		if !read[v] {
			m.Fail(v.Pos, fmt.Sprintf("Var %q", v.Name), fmt.Errorf("%w: no reachable graph reads it", ErrUnused))
		}
	}
}
