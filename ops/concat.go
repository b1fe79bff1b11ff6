package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// ConcatOp is the operator of [Concat] and [ConcatAxis]. Axis is not negative.
type ConcatOp struct{ Axis int }

// Concat puts values one after the other along their last axis: [150], [150] ->
// [300]. See ConcatAxis.
func Concat(vs ...graph.Value) graph.Value { return ConcatAxis(-1, vs...) }

// ConcatAxis puts values one after the other along an axis, in whose extents
// alone they differ: axis 0, [2 h], [3 h] -> [5 h]. A negative axis counts from
// the end. Lists are joined element by element, and what is no list among them
// is used for each element: axis 1, [? 150], [100] -> [? 250]. The lists
// themselves are put one after the other by Join. Gradient: every value gets its
// slice of ct.
func ConcatAxis(axis int, vs ...graph.Value) graph.Value {
	widest := graph.Type{}
	for _, v := range vs {
		if t := v.Type(); t.Rank() > widest.Rank() {
			widest = t
		}
	}
	return apply(ConcatOp{fromEnd(axis, widest)}, vs...)
}

// Name implements graph.Op.
func (ConcatOp) Name() string { return "concat" }

// Attrs implements graph.Op.
func (o ConcatOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "axis", Value: o.Axis}} }

// Infer implements graph.Op.
func (o ConcatOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if len(in) == 0 {
		return nil, fmt.Errorf("%w: no inputs, want one at least", graph.ErrInvalid)
	}
	axis := o.elemAxis(in)
	first := rowType(in[0])
	if axis < 0 || axis >= first.Rank() {
		if axis == -1 && anyList(in) {
			return nil, fmt.Errorf("%w: axis 0 of %v is that of a list; Join puts lists one after the other", graph.ErrShape, in)
		}
		return nil, fmt.Errorf("%w: input 0 %v has no axis %d", graph.ErrShape, in[0], o.Axis)
	}
	extent := 0
	for i, t := range in {
		row := rowType(t)
		if row.DType != first.DType {
			return nil, fmt.Errorf("%w: input 0 is %v, input %d %v: want one element type", graph.ErrDType, in[0], i, t)
		}
		if row.Rank() != first.Rank() || !withExtent(row, axis, first.Shape[axis]).Equal(first) {
			return nil, fmt.Errorf("%w: input 0 is %v, input %d %v: want equal extents except of axis %d", graph.ErrShape, in[0], i, t, o.Axis)
		}
		extent += row.Shape[axis]
	}
	out := withExtent(first, axis, extent)
	if anyList(in) {
		out = graph.ListOf(out)
	}
	return []graph.Type{out}, nil
}

// elemAxis is the axis in what a row of the inputs holds.
func (o ConcatOp) elemAxis(in []graph.Type) int {
	if anyList(in) {
		return o.Axis - 1
	}
	return o.Axis
}

// Gradient implements graph.Differentiable.
func (o ConcatOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	axis, from := o.elemAxis(n.InTypes()), 0
	into := make([]graph.Value, len(n.In))
	for i, x := range n.In {
		to := from + rowType(x.Type()).Shape[axis]
		into[i] = sumTo(Slice(ct, o.Axis, from, to), x)
		from = to
	}
	return into
}

// Lower implements Op.
func (o ConcatOp) Lower(in []graph.Type, out graph.Type) Lowering {
	axis, at := o.elemAxis(in), 0
	row := rowType(out)
	outer, inner := around(row.Shape, axis)
	parts := make([]blocks, len(in))
	for i, t := range in {
		size := rowType(t).Shape[axis] * inner
		parts[i] = blocks{n: outer, size: size, srcEvery: size, dst: at, dstEvery: row.Shape[axis] * inner}
		at += size
	}
	return Lowering{Rows: copyBlocks(out.DType, parts, 0)}
}

// Eval implements Op. An input of lower rank is repeated for every element of
// the others, which are lists.
func (o ConcatOp) Eval(in []*Tensor) (*Tensor, error) {
	widest := in[0]
	for _, x := range in {
		if len(x.Shape) > len(widest.Shape) {
			widest = x
		}
	}
	axis := func(x *Tensor) int { return o.Axis - len(widest.Shape) + len(x.Shape) }
	extent := 0
	for _, x := range in {
		if len(x.Shape) == len(widest.Shape) && o.Axis > 0 && x.Shape[0] != widest.Shape[0] {
			return nil, fmt.Errorf("%w: %v and %v", ErrLength, widest.Type(), x.Type())
		}
		extent += x.Shape[axis(x)]
	}
	out := NewTensor(widest.DType, withExtent(widest.Type(), o.Axis, extent).Shape...)
	from := 0
	for _, x := range in {
		shape := withExtent(widest.Type(), o.Axis, x.Shape[axis(x)]).Shape
		positions(shape, func(at []int) {
			j := x.offset(at[len(at)-len(x.Shape):])
			at[o.Axis] += from
			out.set(out.offset(at), x, j)
			at[o.Axis] -= from
		})
		from += x.Shape[axis(x)]
	}
	return out, nil
}

var _ graph.Differentiable = ConcatOp{}
