package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type sameLengthOp struct{}

// SameLength returns the number of elements that lists have in common, as an
// i32 scalar. Lists of different lengths are an error of the run that wraps
// ErrLength. No gradient flows to the lists.
func SameLength(lists ...graph.Value) graph.Value {
	if len(lists) == 1 {
		return Len(lists[0])
	}
	return apply(sameLengthOp{}, lists...)
}

// Name implements graph.Op.
func (sameLengthOp) Name() string { return "same_length" }

// Attrs implements graph.Op.
func (sameLengthOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (sameLengthOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if len(in) == 0 {
		return nil, fmt.Errorf("%w: no inputs, want one list at least", graph.ErrInvalid)
	}
	for i, t := range in {
		if err := wantList(fmt.Sprintf("input %d is", i), t); err != nil {
			return nil, err
		}
	}
	return []graph.Type{graph.T(graph.Int32)}, nil
}

// LengthOnly implements LengthReader.
func (sameLengthOp) LengthOnly(int) bool { return true }

// Lower implements Op.
func (sameLengthOp) Lower([]graph.Type, graph.Type) Lowering {
	return Lowering{Names: func(w *Words) error {
		for i, handle := range w.In[0] {
			n := len(w.Lists.Get(handle))
			for k, handles := range w.In[1:] {
				if err := checkSameLength(k+1, n, len(w.Lists.Get(handles[i]))); err != nil {
					return &RowError{i, err}
				}
			}
			w.Out[i] = int32(n)
		}
		return nil
	}}
}

// Eval implements Op.
func (sameLengthOp) Eval(in []*Tensor) (*Tensor, error) {
	n := in[0].Shape[0]
	for k, list := range in[1:] {
		if err := checkSameLength(k+1, n, list.Shape[0]); err != nil {
			return nil, err
		}
	}
	z := NewTensor(graph.Int32)
	z.I[0] = int32(n)
	return z, nil
}

// checkSameLength compares the length of list k with that of list 0.
func checkSameLength(k, first, n int) error {
	if n != first {
		return fmt.Errorf("%w: list 0 has %d elements, list %d has %d", ErrLength, first, k, n)
	}
	return nil
}

var (
	_ Op           = sameLengthOp{}
	_ LengthReader = sameLengthOp{}
)
