package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type listOp struct{}

// List returns the list of the given values, which have one type and are not
// lists: [h], [h] -> [? h]. It copies no elements. Gradient: the cotangents of
// the elements.
func List(vs ...graph.Value) graph.Value { return apply(listOp{}, vs...) }

// Name implements graph.Op.
func (listOp) Name() string { return "list" }

// Attrs implements graph.Op.
func (listOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (listOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if len(in) == 0 {
		return nil, fmt.Errorf("%w: no inputs, want one at least", graph.ErrInvalid)
	}
	for i, t := range in {
		if t.IsList() {
			return nil, fmt.Errorf("%w: element %d is the list %v; Join makes one list of lists", graph.ErrShape, i, t)
		}
		if err := wantSame(in[0], i, t); err != nil {
			return nil, err
		}
	}
	return []graph.Type{graph.ListOf(in[0])}, nil
}

// Gradient implements graph.Differentiable.
func (listOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	into := make([]graph.Value, len(n.In))
	for i := range into {
		into[i] = At(ct, ct.Module().Int(i))
	}
	return into
}

// Lower implements Op.
func (listOp) Lower([]graph.Type, graph.Type) Lowering {
	return Lowering{Names: func(w *Words) error {
		for i := range w.N {
			handle, elems := w.Lists.New(len(w.In))
			for k := range elems {
				elems[k] = w.In[k][i]
			}
			w.Out[i] = handle
		}
		return nil
	}}
}

// Eval implements Op.
func (listOp) Eval(in []*Tensor) (*Tensor, error) {
	x := &Tensor{DType: in[0].DType, Shape: append([]int{len(in)}, in[0].Shape...)}
	for _, e := range in {
		x.F = append(x.F, e.F...)
		x.I = append(x.I, e.I...)
	}
	return x, nil
}

// wantSame checks that input i has the type of the first one.
func wantSame(first graph.Type, i int, t graph.Type) error {
	switch {
	case t.DType != first.DType:
		return fmt.Errorf("%w: input 0 is %v, input %d %v: want one element type", graph.ErrDType, first, i, t)
	case !t.Shape.Equal(first.Shape):
		return fmt.Errorf("%w: input 0 is %v, input %d %v: want one type", graph.ErrShape, first, i, t)
	}
	return nil
}

var _ graph.Differentiable = listOp{}
