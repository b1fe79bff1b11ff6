package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

type transposeOp struct{ perm []int }

// Transpose permutes the axes: axis k of the result is axis perm[k] of x.
// Without perm it reverses them: [n d] -> [d n]. The axis of a list stays the
// first, also when the others are reversed: [? n d] -> [? d n]. Gradient: ct
// with the inverse permutation.
func Transpose(x graph.Value, perm ...int) graph.Value {
	if len(perm) == 0 {
		perm = reversed(x.Type())
	}
	return apply(&transposeOp{slices.Clone(perm)}, x)
}

func reversed(t graph.Type) []int {
	perm := make([]int, t.Rank())
	for k := range perm {
		perm[k] = k
	}
	if t.IsList() {
		slices.Reverse(perm[1:])
	} else {
		slices.Reverse(perm)
	}
	return perm
}

// Name implements graph.Op.
func (*transposeOp) Name() string { return "transpose" }

// Attrs implements graph.Op.
func (o *transposeOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "perm", Value: o.perm}} }

// Infer implements graph.Op.
func (o *transposeOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	x := in[0]
	if sorted := slices.Sorted(slices.Values(o.perm)); !slices.Equal(sorted, axisRange(0, x.Rank()).list()) {
		return nil, fmt.Errorf("%w: x %v, axes %v: want each axis once", graph.ErrShape, x, o.perm)
	}
	if x.IsList() && o.perm[0] != 0 {
		return nil, fmt.Errorf("%w: x %v, axes %v: the axis of a list stays the first", graph.ErrShape, x, o.perm)
	}
	out := graph.Type{DType: x.DType, Shape: make(graph.Shape, x.Rank())}
	for k, axis := range o.perm {
		out.Shape[k] = x.Shape[axis]
	}
	return []graph.Type{out}, nil
}

// Gradient implements graph.Differentiable.
func (o *transposeOp) Gradient(_ *graph.Node, ct graph.Value) []graph.Value {
	inverse := make([]int, len(o.perm))
	for k, axis := range o.perm {
		inverse[axis] = k
	}
	return []graph.Value{apply(&transposeOp{inverse}, ct)}
}

// Lower implements Op.
func (o *transposeOp) Lower(in []graph.Type, out graph.Type) Lowering {
	perm, x := o.perm, rowType(in[0])
	if in[0].IsList() {
		perm = make([]int, len(o.perm)-1)
		for k, axis := range o.perm[1:] {
			perm[k] = axis - 1
		}
	}
	from := sources(x.Shape, perm)
	if out.DType.IsFloat() {
		return Lowering{Rows: permuteRows(floats, from)}
	}
	return Lowering{Rows: permuteRows(ints, from)}
}

// sources returns, for every element of the permuted row, its place in the row.
func sources(shape graph.Shape, perm []int) []int {
	strides := make([]int, len(shape))
	stride := 1
	for k := len(shape) - 1; k >= 0; k-- {
		strides[k] = stride
		stride *= shape[k]
	}
	from := []int{0}
	for _, axis := range perm {
		next := make([]int, 0, len(from)*shape[axis])
		for _, f := range from {
			for j := range shape[axis] {
				next = append(next, f+j*strides[axis])
			}
		}
		from = next
	}
	return from
}

func permuteRows[T element](s store[T], from []int) func(*Batch) error {
	return func(b *Batch) error {
		in, out := s.of(&b.In[0]), s.of(&b.Out)
		for r := range b.N {
			x := in[b.In[0].At(r):][:len(from)]
			y := out[b.Out.At(r):][:len(from)]
			for k, f := range from {
				y[k] = x[f]
			}
		}
		return nil
	}
}

// Eval implements Op.
func (o *transposeOp) Eval(in []*Tensor) (*Tensor, error) {
	x := in[0]
	shape := make([]int, len(o.perm))
	for k, axis := range o.perm {
		shape[k] = x.Shape[axis]
	}
	out := NewTensor(x.DType, shape...)
	i := 0
	from := make([]int, len(o.perm))
	positions(shape, func(at []int) {
		for k, axis := range o.perm {
			from[axis] = at[k]
		}
		out.set(i, x, x.offset(from))
		i++
	})
	return out, nil
}

var _ graph.Differentiable = (*transposeOp)(nil)
