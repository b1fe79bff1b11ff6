package graph

import (
	"fmt"
	"slices"
	"strconv"
)

// Module collects the variables and graphs of a program under construction. It
// belongs to one goroutine.
type Module struct {
	Name    string
	globals *Graph   // holds constants and variable reads, visible everywhere
	graphs  []*Graph // in order of declaration
	vars    []*Variable
	open    *Graph // the body being defined
	built   bool   // belongs to a program, which must not change
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

	labels  []string // names of inputs, for messages
	defined bool
	body    bool // an anonymous body: invoked only where it is written
}

// IsBody reports whether the graph is an anonymous body, such as a branch of an If.
func (g *Graph) IsBody() bool { return g.body }

// IsGlobal reports whether v is a constant or a variable, visible in every graph.
func (v Value) IsGlobal() bool { return v.node != nil && v.node.Graph == v.node.Graph.Module.globals }

// Declare announces a graph so that bodies may invoke it before it is defined.
// Without a module, or with one that is built already, the result is nil, and a
// mistake is recorded.
func (m *Module) Declare(name string, in, out []Value) *Graph {
	what := "Declare " + name
	if m == nil {
		m.Errorf(what, "%w: the module is nil", ErrInvalid)
		return nil
	}
	if !m.mayChange(what) {
		return nil
	}
	g := &Graph{Name: name, Module: m, Parent: m.open, Pos: CallerPos()}
	types := func(kind string, vs []Value) (ts []Type) {
		for i, v := range vs {
			if err := v.CheckSpec(); err != nil {
				m.Errorf(what, "%s %d: %w", kind, i, err)
				v = F32()
			}
			ts = append(ts, v.Type())
		}
		return ts
	}
	g.In, g.Out = types("input", in), types("result", out)
	m.graphs = append(m.graphs, g)
	return g
}

// mayChange reports whether m may still change, and records a mistake if not.
func (m *Module) mayChange(what string) bool {
	if m.built {
		m.Errorf(what, "%w: module %q is built already", ErrInvalid, m.Name)
	}
	return !m.built
}

// Define gives g its body: it is called once with the parameters, named by
// labels, and returns the results. The nil graph is left alone.
func (g *Graph) Define(labels []string, body func(params []Value) []Value) {
	if g == nil {
		return
	}
	m := g.Module
	what := "Define " + g.Name
	if !m.mayChange(what) {
		return
	}
	if g.defined {
		m.Errorf(what, "%w: first declared at %v", ErrRedefined, g.Pos)
		return
	}
	g.defined = true
	if g.Parent != m.open {
		m.Errorf(what, "%w: defined in the body of %s, but declared at %v in that of %s", ErrScope, m.open.name(), g.Pos, g.Parent.name())
	}
	if body == nil {
		m.Errorf(what, "%w: the body is nil", ErrInvalid)
		return
	}
	g.addParams(labels)
	g.Results = m.define(g, body)
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
			m.Errorf(what, "%w: result %d comes from a mistake made outside of the bodies of module %q", ErrScope, i, m.Name)
		}
		return false
	}
	if !m.visible(what, v, g) {
		return false
	}
	if !v.Type().Equal(g.Out[i]) {
		kind := ErrShape
		if v.Type().DType != g.Out[i].DType {
			kind = ErrDType
		}
		m.Errorf(what, "%w: result %d is %v, want %v (declared at %v)", kind, i, v.Type(), g.Out[i], g.Pos)
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
	if g != nil {
		g.body = true
	}
	return g
}

// DefineBody gives an anonymous graph its body. The nil graph is left alone.
func (g *Graph) DefineBody(labels []string, body func(params []Value) []Value) {
	if g == nil {
		return
	}
	m := g.Module
	g.defined = true
	g.addParams(labels)
	if body == nil {
		m.Errorf(g.Name, "%w: the body is nil", ErrInvalid)
		return
	}
	g.Results = m.define(g, body)
	for i, v := range g.Results {
		if !v.IsPoison() && !m.visible(g.Name, v, g) {
			g.Results[i] = poison
		}
		g.Out = append(g.Out, g.Results[i].Type())
	}
}

func (g *Graph) addParams(labels []string) {
	g.SetLabels(labels)
	for i, t := range g.In {
		g.addParam(Param{Label: g.label(i)}, t)
	}
}

// SetLabels names the inputs of a graph before it is defined, for messages.
func (g *Graph) SetLabels(labels []string) {
	if g != nil {
		g.labels = labels
	}
}

func (g *Graph) label(i int) string {
	if i < len(g.labels) {
		return g.labels[i]
	}
	return ""
}

// InputName names input i for messages: by its label, or else by its number.
func (g *Graph) InputName(i int) string {
	if l := g.label(i); l != "" {
		return l
	}
	return strconv.Itoa(i)
}

// define calls the body of g while g is open.
func (m *Module) define(g *Graph, body func(params []Value) []Value) []Value {
	if m.open == nil {
		defer m.enter()()
	}
	return m.within(g, func() []Value { return body(slices.Clone(g.Params)) })
}

// within runs f while g is the open body.
func (m *Module) within(g *Graph, f func() []Value) []Value {
	outer := m.open
	m.open = g
	defer func() { m.open = outer }()
	return f()
}

// Open returns the graph whose body is being defined, nil at module level and
// without a module.
func (m *Module) Open() *Graph {
	if m == nil {
		return nil
	}
	return m.open
}

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
// The format should wrap one of the package's sentinels with %w. A mistake
// without a module, that is on nil, belongs to the body that the goroutine is in.
// When there is none, nothing is recorded before a body uses the result.
func (m *Module) Errorf(op, format string, args ...any) Value {
	if m == nil {
		if m = innermost(); m == nil {
			return poison
		}
	}
	m.errs = append(m.errs, &BuildError{CallerPos(), op, fmt.Errorf(format, args...)})
	return poison
}

// Fail is Errorf for an error at a known position.
func (m *Module) Fail(pos Pos, op string, err error) {
	m.errs = append(m.errs, &BuildError{pos, op, err})
}
