package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

// ReshapeOp is the operator of Reshape.
type ReshapeOp struct{ dims []int }

// Reshape gives the elements of x, in row-major order, other extents: x [4 150]
// to 600 -> [600]. That of a list stays graph.Any: x [? 4 150] to Any, 600 ->
// [? 600]. Gradient: ct with the extents of x.
func Reshape(x graph.Value, dims ...int) graph.Value {
	if x.Type().Shape.Equal(dims) && x.Node() != nil {
		return x
	}
	return apply(&ReshapeOp{slices.Clone(dims)}, x)
}

// Name implements graph.Op.
func (*ReshapeOp) Name() string { return "reshape" }

// Attrs implements graph.Op.
func (o *ReshapeOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "dims", Value: o.dims}} }

// Infer implements graph.Op.
func (o *ReshapeOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	x, out := in[0], graph.Type{DType: in[0].DType, Shape: o.dims}
	for i, d := range o.dims {
		if d < 0 && (i > 0 || d != graph.Any) || d == 0 && i > 0 {
			return nil, fmt.Errorf("%w: x %v to %v: extent %d of axis %d", graph.ErrShape, x, out, d, i)
		}
	}
	if x.IsList() != out.IsList() {
		return nil, fmt.Errorf("%w: x %v to %v: the first extent of a list, and of nothing else, stays Any", graph.ErrShape, x, out)
	}
	if err := out.Check(); err != nil {
		return nil, fmt.Errorf("x %v to %v: %w", x, out, err)
	}
	if x.Size() != out.Size() {
		return nil, fmt.Errorf("%w: x %v to %v: want as many elements, %d, got %d", graph.ErrShape, x, out, x.Size(), out.Size())
	}
	return []graph.Type{out}, nil
}

// Gradient implements graph.Differentiable.
func (o *ReshapeOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{Reshape(ct, n.In[0].Type().Shape...)}
}

// Lower implements Op.
func (o *ReshapeOp) Lower(_ []graph.Type, out graph.Type) Lowering {
	return Lowering{Window: &Window{0, rowType(out).Size()}}
}

// Eval implements Op.
func (o *ReshapeOp) Eval(in []*Tensor) (*Tensor, error) {
	out := in[0].Clone()
	out.Shape = slices.Clone(o.dims)
	if len(o.dims) > 0 && o.dims[0] == graph.Any {
		out.Shape[0] = in[0].Shape[0]
	}
	return out, nil
}

var _ graph.Differentiable = (*ReshapeOp)(nil)
