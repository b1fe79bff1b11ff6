package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// sumOp sums over axes, which are dropped or, with keep, left with extent 1.
type sumOp struct {
	axes axisSet
	keep bool
}

// Sum returns the sum over the given axes, all when none is given; negative
// axes count from the end: x [2 3 4], 1 -> [2 4]. Axis 0 of a list sums its
// elements (0 for an empty list): x [? 150], 0 -> [150]. For f32 and i32, which
// wraps around. Gradient: ct repeated along the axes.
func Sum(x graph.Value, axes ...int) graph.Value {
	s, ok := axesOf("sum", x, axes)
	if !ok {
		return graph.Poisoned()
	}
	return apply(sumOp{axes: s}, x)
}

// Name implements graph.Op.
func (sumOp) Name() string { return "sum" }

// Attrs implements graph.Op.
func (o sumOp) Attrs() []graph.Attr { return reductionAttrs(o.axes, o.keep) }

func reductionAttrs(axes axisSet, keep bool) []graph.Attr {
	return []graph.Attr{{Key: "axes", Value: axes.list()}, {Key: "keep", Value: keep}}
}

// Infer implements graph.Op.
func (o sumOp) Infer(in []graph.Type) ([]graph.Type, error) {
	return inferReduction(o.axes, o.keep, in)
}

// inferReduction is the shape rule of operators that combine the elements along axes.
func inferReduction(axes axisSet, keep bool, in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	x := in[0]
	if x.DType == graph.Boolean {
		return nil, fmt.Errorf("%w: x %v, want f32 or i32", graph.ErrDType, x)
	}
	if err := axes.check(x); err != nil {
		return nil, err
	}
	if !keep {
		return []graph.Type{{DType: x.DType, Shape: axes.drop(x.Shape)}}, nil
	}
	if x.IsList() && axes.has(0) {
		return nil, fmt.Errorf("%w: x %v cannot keep axis 0 with extent 1", graph.ErrShape, x)
	}
	return []graph.Type{{DType: x.DType, Shape: axes.ones(x.Shape)}}, nil
}

// Gradient implements graph.Differentiable.
func (o sumOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	axes := o.axes
	if o.keep {
		axes = 0
	}
	return []graph.Value{expandLike(ct, n.In[0], axes)}
}

// Lower implements Op.
func (o sumOp) Lower(in []graph.Type, out graph.Type) Lowering {
	if out.DType.IsFloat() {
		return floatSum.lower(in[0], o.axes)
	}
	return intSum.lower(in[0], o.axes)
}

var (
	floatSum = reduction[float32]{floats, 0, kernel.Add, func(acc float32, x []float32) float32 { return acc + kernel.Sum(x) }}
	intSum   = reduction[int32]{ints, 0, addInts, sumInts}
)

func sumInts(acc int32, x []int32) int32 {
	for _, v := range x {
		acc += v
	}
	return acc
}

// Eval implements Op.
func (o sumOp) Eval(in []*Tensor) (*Tensor, error) {
	x := in[0]
	z := NewTensor(x.DType, o.axes.ones(x.Shape)...)
	i := 0
	positions(x.Shape, func(at []int) {
		if x.DType.IsFloat() {
			z.F[z.index(at)] += x.F[i]
		} else {
			z.I[z.index(at)] += x.I[i]
		}
		i++
	})
	if !o.keep {
		z.Shape = o.axes.drop(x.Shape)
	}
	return z, nil
}

var _ graph.Differentiable = sumOp{}
