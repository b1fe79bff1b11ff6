package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// maxOp is the largest element along axes, which are dropped.
type maxOp struct{ axes axisSet }

// MaxOver returns the largest element along the given axes, all when none is
// given; negative axes count from the end: x [2 3 4], 1 -> [2 4]. Axis 0 of a
// list compares its elements; an empty list is an error of the run that wraps
// ErrLength. For f32, where NaN counts as the largest, and i32. Gradient: ct
// goes to the first of the largest elements.
func MaxOver(x graph.Value, axes ...int) graph.Value {
	s, ok := axesOf("max", x, axes)
	if !ok {
		return graph.Poisoned()
	}
	return apply(maxOp{s}, x)
}

// Name implements graph.Op.
func (maxOp) Name() string { return "max" }

// Attrs implements graph.Op.
func (o maxOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "axes", Value: o.axes.list()}} }

// Infer implements graph.Op.
func (o maxOp) Infer(in []graph.Type) ([]graph.Type, error) {
	out, err := inferReduction(o.axes, false, in)
	if err != nil {
		return nil, err
	}
	if o.axes.has(0) && in[0].Shape[0] == 0 {
		return nil, fmt.Errorf("%w: x %v has no elements to compare", graph.ErrShape, in[0])
	}
	return out, nil
}

// Gradient implements graph.Differentiable.
func (o maxOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(maxGradOp(o), n.In[0], n.Result(0), ct)}
}

// Lower implements Op.
func (o maxOp) Lower(in []graph.Type, out graph.Type) Lowering {
	l := intMax.lower(in[0], o.axes)
	if out.DType.IsFloat() {
		l = floatMax.lower(in[0], o.axes)
	}
	if reduce := l.Segments; reduce != nil {
		l.Segments = func(b *Batch) error {
			if err := nonempty(b); err != nil {
				return err
			}
			return reduce(b)
		}
	}
	return l
}

var (
	floatMax = reduction[float32]{floats, float32(math.Inf(-1)), kernel.Max, func(acc float32, x []float32) float32 { return max(acc, kernel.MaxOf(x)) }}
	intMax   = reduction[int32]{ints, math.MinInt32, maximumInts, func(acc int32, x []int32) int32 { return max(acc, slices.Max(x)) }}
)

// nonempty checks that no list of the batch is empty.
func nonempty(b *Batch) error {
	for i := range b.N {
		if b.Seg[i] == b.Seg[i+1] {
			return &RowError{i, errEmpty}
		}
	}
	return nil
}

var errEmpty = fmt.Errorf("%w: the list is empty", ErrLength)

// Eval implements Op.
func (o maxOp) Eval(in []*Tensor) (*Tensor, error) {
	x := in[0]
	z := NewTensor(x.DType, o.axes.ones(x.Shape)...)
	if x.Len() == 0 && z.Len() > 0 {
		return nil, errEmpty
	}
	for j := range z.F {
		z.F[j] = math.Inf(-1)
	}
	for j := range z.I {
		z.I[j] = math.MinInt32
	}
	i := 0
	positions(x.Shape, func(at []int) {
		j := z.index(at)
		if x.DType.IsFloat() {
			z.F[j] = max(z.F[j], x.F[i])
		} else {
			z.I[j] = max(z.I[j], x.I[i])
		}
		i++
	})
	z.Shape = o.axes.drop(x.Shape)
	return z, nil
}

var _ graph.Differentiable = maxOp{}
