package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

// expandOp repeats its first input along new axes, and along axes of extent 1,
// to the extents dims. When one of the new axes is that of a list, a second
// input, a list, gives its length.
type expandOp struct {
	axes axisSet
	dims graph.Shape
}

// Name implements graph.Op.
func (*expandOp) Name() string { return "expand" }

// Attrs implements graph.Op.
func (o *expandOp) Attrs() []graph.Attr {
	return []graph.Attr{{Key: "axes", Value: o.axes.list()}, {Key: "dims", Value: []int(o.dims)}}
}

// Infer implements graph.Op.
func (o *expandOp) Infer(in []graph.Type) ([]graph.Type, error) {
	out := graph.Type{DType: graph.Float32, Shape: o.dims}
	for i, d := range o.dims {
		if d < 1 && i > 0 || d < 0 && d != graph.Any {
			return nil, fmt.Errorf("%w: extent %d of axis %d in %v", graph.ErrShape, d, i, o.dims)
		}
	}
	if err := o.axes.check(out); err != nil {
		return nil, err
	}
	inputs := 1
	if out.IsList() && o.axes.has(0) {
		inputs = 2
	}
	if err := wantInputs(in, inputs); err != nil {
		return nil, err
	}
	out.DType = in[0].DType
	if len(in[0].Shape)+o.axes.len() != len(o.dims) {
		return nil, fmt.Errorf("%w: x %v does not expand to %v by %d new axes", graph.ErrShape, in[0], out, o.axes.len())
	}
	x := graph.Type{DType: out.DType, Shape: o.axes.insert(in[0].Shape)}
	if inputs == 2 {
		if !in[1].IsList() {
			return nil, fmt.Errorf("%w: the length comes from %v, want a list", graph.ErrShape, in[1])
		}
		x.Shape[0] = graph.Any
	}
	if s, err := broadcast(x, out); err != nil || !s.Equal(o.dims) {
		return nil, fmt.Errorf("%w: x %v does not expand to %v: want equal extents, or 1 or none", graph.ErrShape, in[0], out)
	}
	return []graph.Type{out}, nil
}

// LengthOnly implements LengthReader.
func (o *expandOp) LengthOnly(i int) bool { return i == 1 }

// Gradient implements graph.Differentiable.
func (o *expandOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	if o.axes != 0 {
		ct = apply(sumOp{axes: o.axes}, ct)
	}
	return []graph.Value{sumTo(ct, n.In[0]), {}}[:len(n.In)]
}

// Lower implements Op.
func (o *expandOp) Lower(in []graph.Type, out graph.Type) Lowering {
	axes, x := o.axes, rowType(in[0]).Shape
	if out.IsList() {
		axes = axes.elem()
	}
	a := align(rowType(out).Shape, axes.insert(x))
	if out.DType.IsFloat() {
		return Lowering{Rows: mapRows(a, floats, floats, copyElements[float32])}
	}
	return Lowering{Rows: mapRows(a, ints, ints, copyElements[int32])}
}

func copyElements[T element](dst, x []T) { copy(dst, x) }

// Eval implements Op.
func (o *expandOp) Eval(in []*Tensor) (*Tensor, error) {
	shape := slices.Clone(o.dims)
	if len(shape) > 0 && shape[0] == graph.Any {
		shape[0] = in[len(in)-1].Shape[0]
	}
	x := &Tensor{in[0].DType, o.axes.insert(in[0].Shape), in[0].F, in[0].I}
	z := NewTensor(x.DType, shape...)
	i := 0
	positions(shape, func(at []int) {
		if x.DType.IsFloat() {
			z.F[i] = x.F[x.index(at)]
		} else {
			z.I[i] = x.I[x.index(at)]
		}
		i++
	})
	return z, nil
}

// LengthReader is implemented by operators that read nothing of an input, a
// list, but its length: the input's elements need not be kept for them.
type LengthReader interface {
	LengthOnly(input int) bool
}

var (
	_ graph.Differentiable = (*expandOp)(nil)
	_ LengthReader         = (*expandOp)(nil)
)
