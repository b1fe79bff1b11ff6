package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// PadOp is the operator of [Pad]. Axis is not negative.
type PadOp struct{ Axis, From, Extent int }

// Pad returns zeros of the given extent along an axis, in which x begins at
// from: x [25 150], axis 1, 150, 600 -> [25 600]. A negative axis counts from
// the end. It is the inverse of Slice, and its gradient is one.
func Pad(x graph.Value, axis, from, extent int) graph.Value {
	return apply(PadOp{fromEnd(axis, x.Type()), from, extent}, x)
}

// Name implements graph.Op.
func (PadOp) Name() string { return "pad" }

// Attrs implements graph.Op.
func (o PadOp) Attrs() []graph.Attr {
	return []graph.Attr{{Key: "axis", Value: o.Axis}, {Key: "from", Value: o.From}, {Key: "extent", Value: o.Extent}}
}

// Infer implements graph.Op.
func (o PadOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	x := in[0]
	if err := wantAxis(x, o.Axis); err != nil {
		return nil, err
	}
	if n := x.Shape[o.Axis]; o.From < 0 || o.Extent-n < o.From {
		return nil, fmt.Errorf("%w: x %v at %d along axis %d does not fit into an extent of %d", graph.ErrShape, x, o.From, o.Axis, o.Extent)
	}
	return []graph.Type{withExtent(x, o.Axis, o.Extent)}, nil
}

// slice is the inverse: what takes x, of type in, out of the result.
func (o PadOp) slice(in graph.Type) SliceOp {
	return SliceOp{o.Axis, o.From, o.From + in.Shape[o.Axis]}
}

// Gradient implements graph.Differentiable.
func (o PadOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(o.slice(n.In[0].Type()), ct)}
}

// blocks says where x, of type in, lies in the result.
func (o PadOp) blocks(in graph.Type) blocks {
	k := o.slice(in).blocks(withExtent(in, o.Axis, o.Extent))
	k.src, k.dst = k.dst, k.src
	k.srcEvery, k.dstEvery = k.dstEvery, k.srcEvery
	return k
}

// Window returns the part of a row of the result that a row of the input, of
// type in, fills, if that is one part.
func (o PadOp) Window(in graph.Type) (Window, bool) {
	k := o.blocks(in)
	return Window{k.dst, k.size}, k.n == 1
}

// Lower implements Op.
func (o PadOp) Lower(in []graph.Type, out graph.Type) Lowering {
	return Lowering{Rows: copyBlocks(out.DType, []blocks{o.blocks(in[0])}, rowType(out).Size())}
}

// Eval implements Op.
func (o PadOp) Eval(in []*Tensor) (*Tensor, error) {
	x := in[0]
	out := NewTensor(x.DType, withExtent(x.Type(), o.Axis, o.Extent).Shape...)
	i := 0
	positions(x.Shape, func(at []int) {
		at[o.Axis] += o.From
		out.set(out.offset(at), x, i)
		at[o.Axis] -= o.From
		i++
	})
	return out, nil
}

var _ graph.Differentiable = PadOp{}
