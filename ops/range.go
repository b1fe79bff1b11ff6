package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type rangeOp struct{}

// Range returns the list 0, 1, ..., n-1: n i32 -> i32[?]. A negative n is an
// error that wraps ErrLength when the program runs.
func Range(n graph.Value) graph.Value { return apply(rangeOp{}, n) }

// Name implements graph.Op.
func (rangeOp) Name() string { return "range" }

// Attrs implements graph.Op.
func (rangeOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (rangeOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	if err := wantIndex("n", in[0]); err != nil {
		return nil, err
	}
	return []graph.Type{graph.T(graph.Int32, graph.Any)}, nil
}

// Lower implements Op.
func (rangeOp) Lower([]graph.Type, graph.Type) Lowering {
	return Lowering{Names: func(w *Words) error {
		for i, n := range w.In[0] {
			if n < 0 {
				return &RowError{i, negativeLength(n)}
			}
			handle, elems := w.Lists.New(int(n))
			count(elems)
			w.Out[i] = handle
		}
		return nil
	}}
}

// Eval implements Op.
func (rangeOp) Eval(in []*Tensor) (*Tensor, error) {
	n := in[0].I[0]
	if n < 0 {
		return nil, negativeLength(n)
	}
	x := NewTensor(graph.Int32, int(n))
	count(x.I)
	return x, nil
}

func count(elems []int32) {
	for i := range elems {
		elems[i] = int32(i)
	}
}

func negativeLength(n int32) error { return fmt.Errorf("%w: %d is negative", ErrLength, n) }

var _ Op = rangeOp{}
