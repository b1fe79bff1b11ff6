package recursion

import (
	"fmt"

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
}

// Declare announces a subgraph. The Values in in and out describe the types,
// as graph.F32(150) does. Slices in them fix the number of their elements.
//
//	func name(in In) (out Out)
func Declare[In, Out any](m *graph.Module, name string, in In, out Out) *SubGraph[In, Out] {
	ins, labels, errIn := Flatten(in)
	outs, outLabels, errOut := Flatten(out)
	for _, err := range []error{errIn, errOut} {
		if err != nil {
			m.Errorf("Declare "+name, "%w", err)
		}
	}
	return &SubGraph[In, Out]{m.Declare(name, ins, outs), labels, outLabels, in, out}
}

// Graph returns the untyped graph.
func (s *SubGraph[In, Out]) Graph() *graph.Graph { return s.graph }

// InputPaths names the inputs by their place in In: "Left", "State.H".
func (s *SubGraph[In, Out]) InputPaths() []string { return s.labels }

// ResultPaths names the results by their place in Out.
func (s *SubGraph[In, Out]) ResultPaths() []string { return s.outs }

// Define gives the subgraph its body, which is called once, and returns the
// subgraph.
func (s *SubGraph[In, Out]) Define(body func(In) Out) *SubGraph[In, Out] {
	s.graph.Define(s.labels, func(params []graph.Value) []graph.Value {
		out := body(fill(s.in, params))
		vs, _, err := Flatten(out)
		if err != nil {
			s.graph.Module.Errorf("Define "+s.graph.Name, "%w", err)
		}
		return vs
	})
	return s
}

// Invoke adds an invocation of the subgraph to the body that is open: the
// InvokeOp that makes graphs recursive.
//
//	out := name(in)
func (s *SubGraph[In, Out]) Invoke(in In) Out {
	m := s.graph.Module
	vs, _, err := Flatten(in)
	if err != nil {
		m.Errorf("Invoke "+s.graph.Name, "%w", err)
		return poisonAll(s.out)
	}
	return fill(s.out, m.Apply(NewInvoke(Call, 0, s.graph), vs...))
}

// errDiffer describes two bodies whose results do not agree.
func errDiffer(i int, a, b *graph.Graph) error {
	return fmt.Errorf("%w: the bodies differ in result %d: %v (at %v) and %v (at %v)",
		graph.ErrShape, i, a.Out[i], a.Results[i].Node().Pos, b.Out[i], b.Results[i].Node().Pos)
}
