package recursion

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondml/frond/graph"
)

// SubGraph is a graph whose inputs and results are the Values of In and Out:
// structs, arrays or slices of graph.Value, nested at will, or graph.Value.
type SubGraph[In, Out any] struct {
	graph  *graph.Graph
	labels []string
	outs   []string
	in     In
	out    Out
	// broken says that the signature holds a mistake: the body, which would only
	// trip over it again, is not called.
	broken bool
}

// Declare announces a subgraph. The Values in in and out describe the types,
// as graph.F32(150) does. Slices in them fix the number of their elements.
//
// A signature with a mistake gives a subgraph whose invocations are poisoned, as
// does a module that is nil or built already.
//
//	func name(in In) (out Out)
func Declare[In, Out any](m *graph.Module, name string, in In, out Out) *SubGraph[In, Out] {
	ins, labels, errIn := Flatten(in)
	outs, outLabels, errOut := Flatten(out)
	s := &SubGraph[In, Out]{labels: labels, outs: outLabels, in: in, out: out}
	for _, err := range []error{
		errIn, errOut, describe("input", ins, labels), describe("result", outs, outLabels),
	} {
		if err != nil {
			m.Errorf("Declare "+name, "%w", err)
			s.broken = true
		}
	}
	s.graph = m.Declare(name, ins, outs)
	s.graph.SetLabels(labels)
	s.broken = s.broken || s.graph == nil
	return s
}

// describe returns which of the Values of a signature describe nothing, and
// replaces them by what does.
func describe(kind string, vs []graph.Value, labels []string) error {
	var errs []error
	for i, v := range vs {
		if err := v.CheckSpec(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", strings.TrimSpace(kind+" "+labels[i]), err))
			vs[i] = graph.F32()
		}
	}
	return errors.Join(errs...)
}

// Graph returns the untyped graph, nil when none has been declared.
func (s *SubGraph[In, Out]) Graph() *graph.Graph {
	if s == nil {
		return nil
	}
	return s.graph
}

// InputPaths names the inputs by their place in In: "Left", "State.H".
func (s *SubGraph[In, Out]) InputPaths() []string { return s.labels }

// ResultPaths names the results by their place in Out.
func (s *SubGraph[In, Out]) ResultPaths() []string { return s.outs }

// Define gives the subgraph its body, which is called once, and returns the
// subgraph.
func (s *SubGraph[In, Out]) Define(body func(In) Out) *SubGraph[In, Out] {
	switch {
	case s == nil || s.graph == nil && !s.broken:
		graph.ModuleOf().Errorf("Define", "%w: the subgraph is not declared", graph.ErrUndefined)
		return s
	case body == nil:
		s.graph.Define(s.labels, nil)
		return s
	case s.broken:
		s.graph.Define(s.labels, func([]graph.Value) []graph.Value {
			return slices.Repeat([]graph.Value{graph.Poisoned()}, len(s.graph.Out))
		})
		return s
	}
	s.graph.Define(s.labels, func(params []graph.Value) []graph.Value {
		out := body(fill(s.in, params))
		vs, paths, err := Flatten(out)
		if err != nil {
			s.graph.Module.Errorf("Define "+s.graph.Name, "%w", err)
		}
		if len(vs) == len(s.graph.Out) { // or else the graph says how many it wants
			s.fitResults(vs, paths)
		}
		return vs
	})
	return s
}

// fitResults poisons the results of the body that are not as declared.
func (s *SubGraph[In, Out]) fitResults(vs []graph.Value, paths []string) {
	g := s.graph
	got := slices.Clone(vs)
	fit(g.Module, "Define "+g.Name, "result", vs, paths, g.Out, func(name string, i int) string {
		return fmt.Sprintf("%s is %v, want %v (declared at %v)", name, got[i], g.Out[i], g.Pos)
	})
}

// Invoke adds an invocation of the subgraph to the body that is open: the
// InvokeOp that makes graphs recursive.
//
//	out := name(in)
func (s *SubGraph[In, Out]) Invoke(in In) Out {
	vs, _, err := Flatten(in)
	m := graph.ModuleOf(vs...)
	if s == nil || s.graph == nil && !s.broken {
		var out Out
		m.Errorf("invoke", "%w: the subgraph is not declared", graph.ErrUndefined)
		return poisonAll(out)
	}
	if s.broken {
		return poisonAll(s.out)
	}
	if m == nil {
		m = s.graph.Module
	}
	if err != nil {
		m.Errorf("Invoke "+s.graph.Name, "%w", err)
		return poisonAll(s.out)
	}
	return fill(s.out, m.Apply(NewInvoke(Call, 0, s.graph), vs...))
}
