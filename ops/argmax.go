package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type argMaxOp struct{ axis int }

// ArgMax returns the index of the largest element along an axis, which is
// dropped, of f32 -> i32; the first one when several are equal, and the first
// NaN if there is one. Negative axes count from the end. Axis 0 of a list gives
// the index of an element; an empty list is an error of the run that wraps
// ErrLength.
func ArgMax(x graph.Value, axis int) graph.Value {
	s, ok := axesOf("argmax", x, []int{axis})
	if !ok {
		return graph.Poisoned()
	}
	return apply(argMaxOp{s.list()[0]}, x)
}

// Name implements graph.Op.
func (argMaxOp) Name() string { return "argmax" }

// Attrs implements graph.Op.
func (o argMaxOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "axis", Value: o.axis}} }

// Infer implements graph.Op.
func (o argMaxOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantAxisOf(in, o.axis); err != nil {
		return nil, err
	}
	if err := wantFloat(in...); err != nil {
		return nil, err
	}
	if in[0].Shape[o.axis] == 0 {
		return nil, fmt.Errorf("%w: x %v has no elements to compare", graph.ErrShape, in[0])
	}
	s := axisRange(o.axis, o.axis+1).drop(in[0].Shape)
	return []graph.Type{{DType: graph.Int32, Shape: s}}, nil
}

// Lower implements Op.
func (o argMaxOp) Lower(in []graph.Type, _ graph.Type) Lowering {
	x, axis := in[0].Shape, o.axis
	switch {
	case !in[0].IsList():
		return Lowering{Rows: argMaxWithin(x, axis)}
	case axis > 0:
		return Lowering{Rows: argMaxWithin(x[1:], axis-1)}
	}
	kernel := argMaxKernel(append(graph.Shape{1}, x[1:]...), 0, segment)
	return Lowering{Segments: func(b *Batch) error {
		if err := nonempty(b); err != nil {
			return err
		}
		return kernel(b)
	}}
}

// argMaxWithin looks for the largest elements along an axis of each row.
func argMaxWithin(row graph.Shape, axis int) func(*Batch) error {
	outer, n := row[:axis].Size(), row[axis]
	if row[axis+1:].Size() != 1 {
		return argMaxKernel(row, axis, single)
	}
	return func(b *Batch) error { // the candidates lie side by side
		for i := range b.N {
			x, z := b.In[0].Row(i, outer*n), b.Out.Ints(i, outer)
			for o := range z {
				z[o] = indexOfLargest(x[o*n:][:n])
			}
		}
		return nil
	}
}

// argMaxKernel looks for the largest elements along an axis of rows of the given
// shape and, when the rows are those of lists, also from row to row.
func argMaxKernel(row graph.Shape, axis int, rows rowsOfFrame) func(*Batch) error {
	outer, n, inner := row[:axis].Size(), row[axis], row[axis+1:].Size()
	return func(b *Batch) error {
		best := b.Tmp.Floats(inner)
		for i := range b.N {
			z := b.Out.Ints(i, outer*inner)
			from, to := rows(b, i)
			for o := range outer {
				for k := range (to - from) * n {
					x := b.In[0].Row(from+k/n, outer*n*inner)[(o*n+k%n)*inner:][:inner]
					improve(best, z[o*inner:][:inner], x, k)
				}
			}
		}
		return nil
	}
}

// indexOfLargest returns the index of the first of the largest elements, or of the first NaN.
func indexOfLargest(x []float32) int32 {
	top, index := x[0], 0
	for k, v := range x {
		if !(v <= top) { // larger, or one of them is NaN
			if top != top {
				break
			}
			top, index = v, k
		}
	}
	return int32(index)
}

// improve takes over the elements of x, the candidates number k, that are larger
// than the best so far.
func improve(best []float32, index []int32, x []float32, k int) {
	for c, v := range x {
		if k == 0 || v > best[c] || v != v && best[c] == best[c] {
			best[c], index[c] = v, int32(k)
		}
	}
}

// Eval implements Op.
func (o argMaxOp) Eval(in []*Tensor) (*Tensor, error) {
	x := in[0]
	axis := axisRange(o.axis, o.axis+1)
	z := NewTensor(graph.Int32, axis.ones(x.Shape)...)
	if x.Len() == 0 && z.Len() > 0 {
		return nil, errEmpty
	}
	best := NewTensor(x.DType, z.Shape...)
	i := 0
	positions(x.Shape, func(at []int) {
		k, cell := at[o.axis], z.index(at)
		if v := x.F[i]; k == 0 || v > best.F[cell] || v != v && best.F[cell] == best.F[cell] {
			best.F[cell], z.I[cell] = v, int32(k)
		}
		i++
	})
	z.Shape = axis.drop(x.Shape)
	return z, nil
}

var _ Op = argMaxOp{}
