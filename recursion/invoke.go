package recursion

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// Mode says how an InvokeOp chooses what to invoke, and how often.
type Mode uint8

const (
	// Call invokes the only callee once, with all inputs as arguments.
	Call Mode = iota
	// Select invokes once the callee whose number is the first input (a bool
	// false is 1, true 0), with the other inputs as arguments.
	Select
	// Each invokes the only callee once per element of lists of equal length,
	// its first inputs; the other inputs are arguments of every invocation.
	Each
)

var modeNames = [...]string{Call: "invoke", Select: "select", Each: "map"}

// InvokeOp is the operator of invocations, in every mode.
type InvokeOp struct {
	mode    Mode
	callees []*graph.Graph
	mapped  int // Each: number of lists
}

var _ graph.Invoker = (*InvokeOp)(nil)

// NewInvoke returns the operator that invokes the callees in the given mode,
// with mapped lists when the mode is Each. It is what the typed functions of
// the package use; tools that write graphs may use it directly.
func NewInvoke(mode Mode, mapped int, callees ...*graph.Graph) *InvokeOp {
	return &InvokeOp{mode, callees, mapped}
}

// Name is invoke, select or map.
func (o *InvokeOp) Name() string { return modeNames[o.mode] }

// Attrs implements graph.Op; callees are printed by the printer.
func (o *InvokeOp) Attrs() []graph.Attr {
	if o.mode == Each {
		return []graph.Attr{{Key: "lists", Value: o.mapped}}
	}
	return nil
}

// Mode returns the mode.
func (o *InvokeOp) Mode() Mode { return o.mode }

// Mapped returns the number of lists whose elements are arguments.
func (o *InvokeOp) Mapped() int { return o.mapped }

// Callees implements graph.Invoker.
func (o *InvokeOp) Callees() []*graph.Graph { return o.callees }

// Leading implements graph.Invoker.
func (o *InvokeOp) Leading() int {
	if o.mode == Select {
		return 1
	}
	return 0
}

// Infer checks the inputs against the signatures of the callees.
func (o *InvokeOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if o.mode == Select {
		if len(in) == 0 {
			return nil, fmt.Errorf("%w: a selection without selector", graph.ErrShape)
		}
		if !in[0].IsScalar() || in[0].DType.IsFloat() {
			return nil, fmt.Errorf("%w: the selector is %v, want bool or i32", graph.ErrDType, in[0])
		}
		in = in[1:]
	}
	for _, g := range o.callees {
		if err := o.checkArguments(g, in); err != nil {
			return nil, err
		}
		if len(g.Out) != len(o.callees[0].Out) {
			return nil, fmt.Errorf("%w: %d results from %s and %d from %s", graph.ErrShape, len(o.callees[0].Out), o.callees[0].Name, len(g.Out), g.Name)
		}
		for i, t := range g.Out {
			if err := mismatch(t, o.callees[0].Out[i]); err != nil {
				return nil, fmt.Errorf("%w: result %d is %v from %s and %v from %s", err, i, o.callees[0].Out[i], o.callees[0].Name, t, g.Name)
			}
		}
	}
	out := o.callees[0].Out
	if o.mode != Each {
		return out, nil
	}
	lists := make([]graph.Type, len(out))
	for i, t := range out {
		if t.IsList() {
			return nil, fmt.Errorf("%w: result %d of each invocation is the list %v; lists of lists are not supported", graph.ErrShape, i, t)
		}
		lists[i] = graph.ListOf(t)
	}
	return lists, nil
}

// checkArguments compares argument types with g's signature and, once captured
// values are bound, with its parameters.
func (o *InvokeOp) checkArguments(g *graph.Graph, in []graph.Type) error {
	want := g.In
	if len(in) != len(want) && len(in) == len(g.Params) {
		want = make([]graph.Type, len(g.Params))
		for i, p := range g.Params {
			want[i] = p.Type()
		}
	}
	if len(in) != len(want) {
		return fmt.Errorf("%w: %s takes %d inputs, got %d (declared at %v)", graph.ErrShape, g.Name, len(want), len(in), g.Pos)
	}
	for i, t := range in {
		if i < o.mapped {
			if !t.IsList() {
				return fmt.Errorf("%w: input %s of %s is %v, want a list of %v", graph.ErrShape, g.InputName(i), g.Name, t, want[i])
			}
			t = t.Elem()
		}
		if err := mismatch(t, want[i]); err != nil {
			return fmt.Errorf("%w: input %s of %s is %v, want %v (declared at %v)", err, g.InputName(i), g.Name, t, want[i], g.Pos)
		}
	}
	return nil
}
