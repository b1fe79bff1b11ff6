package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

// SliceOp is the operator of [Slice]. Axis is not negative.
type SliceOp struct{ Axis, From, To int }

// Slice returns the part from, ..., to-1 of x along an axis: x [25 600], axis 1,
// 150, 300 -> [25 150]. A negative axis counts from the end. The list axis
// cannot be sliced; see Span. Gradient: dx is ct in the slice, zeros around it.
func Slice(x graph.Value, axis, from, to int) graph.Value {
	return apply(SliceOp{fromEnd(axis, x.Type()), from, to}, x)
}

// Split cuts x into k equal parts along the last axis: [600], 4 -> four [150].
// After a mistake there are k parts, too, so that indexing them does no harm, but
// at least one and at most 4096.
func Split(x graph.Value, k int) []graph.Value {
	m, t := graph.ModuleOf(x), x.Type()
	if !m.Check("Split", x) {
		return badParts(k)
	}
	axis, n := t.Rank()-1, 0
	if axis >= 0 {
		n = t.Shape[axis]
	}
	if k < 1 || n%k != 0 || axis < 0 {
		m.Errorf("Split", "%w: x %v: want a last axis that %d parts divide", graph.ErrShape, t, k)
		return badParts(k)
	}
	parts := make([]graph.Value, k)
	for i := range parts {
		parts[i] = Slice(x, axis, i*n/k, (i+1)*n/k)
	}
	return parts
}

// maxBadParts limits the parts of a Split that went wrong: a mistake in k should
// not take all memory.
const maxBadParts = 1 << 12

func badParts(k int) []graph.Value {
	return slices.Repeat([]graph.Value{graph.Poisoned()}, max(1, min(k, maxBadParts)))
}

// fromEnd resolves an axis that counts from the end when it is negative. One that
// t does not have stays as the user gave it, for the message.
func fromEnd(axis int, t graph.Type) int {
	if axis < 0 && axis+t.Rank() >= 0 {
		axis += t.Rank()
	}
	return axis
}

// wantAxis checks that a value of type t has the axis and that it is not that of a list.
func wantAxis(t graph.Type, axis int) error {
	switch {
	case t.IsScalar():
		return fmt.Errorf("%w: x %v has no axes", graph.ErrShape, t)
	case axis < 0 || axis >= t.Rank():
		return fmt.Errorf("%w: x %v has no axis %d", graph.ErrShape, t, axis)
	case t.Shape[axis] == graph.Any:
		return fmt.Errorf("%w: x %v: axis %d is that of the list; Span takes a part of a list", graph.ErrShape, t, axis)
	}
	return nil
}

// Name implements graph.Op.
func (SliceOp) Name() string { return "slice" }

// Attrs implements graph.Op.
func (o SliceOp) Attrs() []graph.Attr {
	return []graph.Attr{{Key: "axis", Value: o.Axis}, {Key: "from", Value: o.From}, {Key: "to", Value: o.To}}
}

// Infer implements graph.Op.
func (o SliceOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	x := in[0]
	if err := wantAxis(x, o.Axis); err != nil {
		return nil, err
	}
	if n := x.Shape[o.Axis]; o.From < 0 || o.To <= o.From || n < o.To {
		return nil, fmt.Errorf("%w: x %v: want 0 <= %d < %d <= %d along axis %d", graph.ErrShape, x, o.From, o.To, n, o.Axis)
	}
	return []graph.Type{withExtent(x, o.Axis, o.To-o.From)}, nil
}

// withExtent returns t with another extent of one axis.
func withExtent(t graph.Type, axis, n int) graph.Type {
	shape := append(graph.Shape(nil), t.Shape...)
	shape[axis] = n
	return graph.Type{DType: t.DType, Shape: shape}
}

// Gradient implements graph.Differentiable.
func (o SliceOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{Pad(ct, o.Axis, o.From, n.In[0].Type().Shape[o.Axis])}
}

// blocks says where a slice of x lies.
func (o SliceOp) blocks(x graph.Type) blocks {
	axis := o.Axis
	if x.IsList() {
		axis, x = axis-1, x.Elem()
	}
	outer, inner := around(x.Shape, axis)
	size := (o.To - o.From) * inner
	return blocks{n: outer, size: size, src: o.From * inner, srcEvery: x.Shape[axis] * inner, dstEvery: size}
}

// Lower implements Op.
func (o SliceOp) Lower(in []graph.Type, out graph.Type) Lowering {
	part := o.blocks(in[0])
	if w, ok := part.window(); ok {
		return Lowering{Window: &w}
	}
	return Lowering{Rows: copyBlocks(out.DType, []blocks{part}, 0)}
}

// Eval implements Op.
func (o SliceOp) Eval(in []*Tensor) (*Tensor, error) {
	x := in[0]
	out := NewTensor(x.DType, withExtent(x.Type(), o.Axis, o.To-o.From).Shape...)
	i := 0
	positions(out.Shape, func(at []int) {
		at[o.Axis] += o.From
		out.set(i, x, x.offset(at))
		at[o.Axis] -= o.From
		i++
	})
	return out, nil
}

var _ graph.Differentiable = SliceOp{}
