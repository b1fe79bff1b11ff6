package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type lenOp struct{}

// Len returns the number of elements of a list, or the first extent of another
// value, as an i32 scalar.
func Len(x graph.Value) graph.Value {
	if t, m := x.Type(), x.Module(); m != nil && t.Rank() > 0 && !t.IsList() {
		return m.Int(t.Shape[0])
	}
	return apply(lenOp{}, x)
}

// Name implements graph.Op.
func (lenOp) Name() string { return "len" }

// Attrs implements graph.Op.
func (lenOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (lenOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	if err := wantList("x", in[0]); err != nil {
		return nil, err
	}
	return []graph.Type{graph.T(graph.Int32)}, nil
}

// Lower implements Op.
func (lenOp) Lower([]graph.Type, graph.Type) Lowering {
	return Lowering{Names: func(w *Words) error {
		for i, handle := range w.In[0] {
			w.Out[i] = int32(len(w.Lists.Get(handle)))
		}
		return nil
	}}
}

// Eval implements Op.
func (lenOp) Eval(in []*Tensor) (*Tensor, error) {
	n := NewTensor(graph.Int32)
	n.I[0] = int32(in[0].Shape[0])
	return n, nil
}

// wantList checks that an input is a list.
func wantList(what string, t graph.Type) error {
	if !t.IsList() {
		return fmt.Errorf("%w: %s %v: want a list [? ...]", graph.ErrShape, what, t)
	}
	return nil
}

// wantIndex checks that an input is an i32 scalar.
func wantIndex(what string, t graph.Type) error {
	switch {
	case t.DType != graph.Int32:
		return fmt.Errorf("%w: %s %v: want i32", graph.ErrDType, what, t)
	case !t.IsScalar():
		return fmt.Errorf("%w: %s %v: want a scalar", graph.ErrShape, what, t)
	}
	return nil
}

var _ Op = lenOp{}
