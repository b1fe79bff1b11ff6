package graph

import (
	"errors"
	"fmt"
	"slices"
)

// Module collects the variables and graphs of a program under construction. It
// belongs to one goroutine.
type Module struct {
	Name    string
	globals *Graph   // holds constants and variable reads, visible everywhere
	graphs  []*Graph // in order of declaration
	vars    []*Variable
	open    *Graph // the body being defined
	errs    []error
}

// NewModule returns an empty module.
func NewModule(name string) *Module {
	m := &Module{Name: name}
	m.globals = &Graph{Name: "globals", Module: m}
	return m
}

// Graph is a dataflow graph with typed parameters and results. Its nodes are in
// topological order. Fields are for reading only once the program is built.
type Graph struct {
	Name    string
	In, Out []Type
	Module  *Module
	Parent  *Graph  // the graph whose body encloses this one's
	Params  []Value // one per In, then one per captured value
	Nodes   []*Node
	Results []Value
	// Captures are the values of enclosing graphs that the body uses, in the
	// order of the last len(Captures) parameters.
	Captures []Value
	// Adjoint is the reverse-mode derivative of the body.
	Adjoint *Adjoint
	Pos     Pos

	defined bool
	body    bool // an anonymous body: invoked only where it is written
}

// IsBody reports whether the graph is an anonymous body, such as a branch of an If.
func (g *Graph) IsBody() bool { return g.body }

// IsGlobal reports whether v is a constant or a variable, visible in every graph.
func (v Value) IsGlobal() bool { return v.node != nil && v.node.Graph == v.node.Graph.Module.globals }

// Declare announces a graph so that bodies may invoke it before it is defined.
func (m *Module) Declare(name string, in, out []Value) *Graph {
	g := &Graph{Name: name, Module: m, Parent: m.open, Pos: CallerPos()}
	types := func(what string, vs []Value) (ts []Type) {
		for i, v := range vs {
			t := v.Type()
			if err := t.check(); err != nil {
				m.Errorf("Declare "+name, "%s %d: %w", what, i, err)
				t = T(Float32)
			}
			ts = append(ts, t)
		}
		return ts
	}
	g.In, g.Out = types("input", in), types("result", out)
	m.graphs = append(m.graphs, g)
	return g
}

// Define gives g its body: it is called once with the parameters, named by
// labels, and returns the results.
func (g *Graph) Define(labels []string, body func(params []Value) []Value) {
	m := g.Module
	what := "Define " + g.Name
	if g.defined {
		m.Errorf(what, "%w: first declared at %v", ErrRedefined, g.Pos)
		return
	}
	g.defined = true
	if g.Parent != m.open {
		m.Errorf(what, "%w: defined in the body of %s, but declared at %v in that of %s", ErrScope, m.open.name(), g.Pos, g.Parent.name())
	}
	g.addParams(labels)
	g.Results = m.within(g, func() []Value { return body(slices.Clone(g.Params)) })
	if len(g.Results) != len(g.Out) {
		m.Errorf(what, "%w: the body returns %d results, %d are declared at %v", ErrShape, len(g.Results), len(g.Out), g.Pos)
		return
	}
	for i, v := range g.Results {
		if !g.checkResult(what, i, v) {
			g.Results[i] = poison
		}
	}
}

func (g *Graph) checkResult(what string, i int, v Value) bool {
	m := g.Module
	if v.IsPoison() {
		if len(m.errs) == 0 {
			m.Errorf(what, "%w: result %d is made from zero Values", ErrScope, i)
		}
		return false
	}
	if !m.visible(what, v, g) {
		return false
	}
	if !v.Type().Equal(g.Out[i]) {
		m.Errorf(what, "%w: result %d is %v, want %v (declared at %v)", ErrShape, i, v.Type(), g.Out[i], g.Pos)
		return false
	}
	return true
}

// Body builds an anonymous graph without explicit parameters inside the body
// that is open; its results become its signature.
func (m *Module) Body(name string, body func() []Value) *Graph {
	g := m.DeclareBody(name, nil)
	g.DefineBody(nil, func([]Value) []Value { return body() })
	return g
}

// DeclareBody announces an anonymous graph, whose results become its signature
// when DefineBody builds it.
func (m *Module) DeclareBody(name string, in []Value) *Graph {
	g := m.Declare(name, in, nil)
	g.body = true
	return g
}

// DefineBody gives an anonymous graph its body.
func (g *Graph) DefineBody(labels []string, body func(params []Value) []Value) {
	m := g.Module
	g.defined = true
	g.addParams(labels)
	g.Results = m.within(g, func() []Value { return body(slices.Clone(g.Params)) })
	for i, v := range g.Results {
		if !v.IsPoison() && !m.visible(g.Name, v, g) {
			g.Results[i] = poison
		}
		g.Out = append(g.Out, g.Results[i].Type())
	}
}

func (g *Graph) addParams(labels []string) {
	for i, t := range g.In {
		label := ""
		if i < len(labels) {
			label = labels[i]
		}
		g.addParam(Param{Label: label}, t)
	}
}

// within runs f while g is the open body.
func (m *Module) within(g *Graph, f func() []Value) []Value {
	outer := m.open
	m.open = g
	defer func() { m.open = outer }()
	return f()
}

// Open returns the graph whose body is being defined, nil at module level.
func (m *Module) Open() *Graph { return m.open }

func (g *Graph) name() string {
	if g == nil {
		return "the module"
	}
	return g.Name
}

func (g *Graph) addParam(p Param, t Type) Value {
	v := g.add(p, nil, []Type{t}, g.Pos).Result(0)
	g.Params = append(g.Params, v)
	return v
}

func (g *Graph) add(op Op, in []Value, out []Type, pos Pos) *Node {
	n := &Node{Op: op, In: in, Out: out, Graph: g, Index: len(g.Nodes), Pos: pos}
	g.Nodes = append(g.Nodes, n)
	return n
}

// Errorf records a mistake at the caller's line and returns the poisoned value.
// The format should wrap one of the package's sentinels with %w.
func (m *Module) Errorf(op, format string, args ...any) Value {
	if m == nil {
		return poison // a poisoned value has no module; its mistake is recorded
	}
	m.errs = append(m.errs, &BuildError{CallerPos(), op, fmt.Errorf(format, args...)})
	return poison
}

// Fail is Errorf for an error at a known position.
func (m *Module) Fail(pos Pos, op string, err error) {
	m.errs = append(m.errs, &BuildError{pos, op, err})
}

// visible reports whether v may be used in graph in, and records why not.
func (m *Module) visible(what string, v Value, in *Graph) bool {
	switch {
	case v.node == nil && v.spec == nil:
		m.Errorf(what, "%w: the zero Value", ErrScope)
		return false
	case v.node == nil:
		m.Errorf(what, "%w: %v is only a description of a value", ErrScope, v.spec)
		return false
	case v.Module() != m:
		m.Errorf(what, "%w: %v belongs to module %q, not to %q", ErrScope, v, v.Module().Name, m.Name)
		return false
	case v.IsGlobal():
		return true
	}
	for g := in; g != nil; g = g.Parent {
		if g == v.node.Graph {
			return true
		}
	}
	m.Errorf(what, "%w: %v is a value of %s, not visible in %s", ErrScope, v, v.node.Graph.name(), in.name())
	return false
}

// Apply adds a node to the body that is open and returns its only result.
func Apply(op Op, in ...Value) Value {
	r := ApplyAll(op, in...)
	if len(r) != 1 {
		return poison
	}
	return r[0]
}

// ApplyAll adds a node to the body that is open and returns its results. When
// an input is poisoned, or a mistake is found, all results are.
func ApplyAll(op Op, in ...Value) []Value {
	m := moduleOf(in)
	if m == nil {
		return []Value{poison}
	}
	return m.Apply(op, in...)
}

// Apply is ApplyAll for operators that may have no inputs.
func (m *Module) Apply(op Op, in ...Value) []Value {
	for _, v := range in {
		if v.IsPoison() {
			return poisoned(op)
		}
	}
	name := op.Name()
	if m.open == nil {
		m.Errorf(name, "%w: operators are applied in the body of a subgraph", ErrScope)
		return poisoned(op)
	}
	types := make([]Type, len(in))
	for i, v := range in {
		if !m.visible(name, v, m.open) {
			return poisoned(op)
		}
		types[i] = v.Type()
	}
	out, err := op.Infer(types)
	if err != nil {
		m.Errorf(name, "%w", err)
		return poisoned(op)
	}
	n := m.open.add(op, slices.Clone(in), out, CallerPos())
	results := make([]Value, len(out))
	for i := range out {
		results[i] = n.Result(i)
	}
	return results
}

// poisoned returns as many poisoned values as op has results.
func poisoned(op Op) []Value {
	n := 1
	if c, ok := op.(Invoker); ok {
		n = len(c.Callees()[0].Out)
	}
	return slices.Repeat([]Value{poison}, n)
}

// moduleOf returns the module of the first value that has one.
func moduleOf(vs []Value) *Module {
	for _, v := range vs {
		if v.node != nil {
			return v.node.Graph.Module
		}
	}
	return nil
}

// ModuleOf returns the module of the first of vs that has one, nil when none has.
func ModuleOf(vs ...Value) *Module { return moduleOf(vs) }

// errors returns all recorded mistakes joined.
func (m *Module) errors() error { return errors.Join(m.errs...) }
