package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// OuterOp is the operator of [Outer].
type OuterOp struct{}

// Outer returns the products of all pairs of elements of two vectors: a [d],
// b [h] -> [d h]. Lists of vectors are multiplied element by element, and a
// vector beside a list is used for each element: [? d], [h] -> [? d h].
// Gradient: da = ct·b, db = ctᵀ·a.
func Outer(a, b graph.Value) graph.Value { return apply(OuterOp{}, a, b) }

// Name implements graph.Op.
func (OuterOp) Name() string { return "outer" }

// Attrs implements graph.Op.
func (OuterOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (OuterOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 2); err != nil {
		return nil, err
	}
	if err := wantFloat(in...); err != nil {
		return nil, err
	}
	a, b := rowType(in[0]), rowType(in[1])
	if a.Rank() != 1 || b.Rank() != 1 {
		return nil, fmt.Errorf("%w: a %v, b %v: want vectors a [d] or [? d], b [h] or [? h]", graph.ErrShape, in[0], in[1])
	}
	out := graph.T(a.DType, a.Shape[0], b.Shape[0])
	if anyList(in) {
		out = graph.ListOf(out)
	}
	return []graph.Type{out}, nil
}

// Gradient implements graph.Differentiable.
func (OuterOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	a, b := n.In[0], n.In[1]
	return []graph.Value{sumTo(MatMulT(b, ct), a), sumTo(MatMul(a, ct), b)}
}

// Lower implements Op.
func (OuterOp) Lower(in []graph.Type, _ graph.Type) Lowering {
	d, h := rowType(in[0]).Size(), rowType(in[1]).Size()
	return Lowering{Rows: func(bt *Batch) error {
		for r := range bt.N {
			b, out := bt.In[1].Row(r, h), bt.Out.Row(r, d*h)
			for i, x := range bt.In[0].Row(r, d) {
				kernel.Scale(out[i*h:(i+1)*h], b, x)
			}
		}
		return nil
	}}
}

// Eval implements Op. Vectors beside lists have lower rank.
func (OuterOp) Eval(in []*Tensor) (*Tensor, error) {
	a, b := in[0], in[1]
	shape := []int{a.Shape[len(a.Shape)-1], b.Shape[len(b.Shape)-1]}
	switch {
	case len(a.Shape) == 2 && len(b.Shape) == 2 && a.Shape[0] != b.Shape[0]:
		return nil, fmt.Errorf("%w: %v and %v", ErrLength, a.Type(), b.Type())
	case len(a.Shape) == 2:
		shape = append([]int{a.Shape[0]}, shape...)
	case len(b.Shape) == 2:
		shape = append([]int{b.Shape[0]}, shape...)
	}
	out := NewTensor(a.DType, shape...)
	k := 0
	positions(shape, func(at []int) {
		row, i, j := at[:len(at)-2], at[len(at)-2], at[len(at)-1]
		out.F[k] = a.rowElem(row, i) * b.rowElem(row, j)
		k++
	})
	return out, nil
}

// rowElem returns element i of a vector, or of the row of a list of vectors.
func (t *Tensor) rowElem(row []int, i int) float64 {
	if len(t.Shape) == 2 {
		i += row[0] * t.Shape[1]
	}
	return t.F[i]
}

var _ graph.Differentiable = OuterOp{}
