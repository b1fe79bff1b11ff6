package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type mulScalarOp struct{ c float64 }

// MulScalar returns c*x, element-wise, of f32. Gradient: dx = c*ct.
func MulScalar(x graph.Value, c float64) graph.Value { return apply(mulScalarOp{c}, x) }

// Name implements graph.Op.
func (mulScalarOp) Name() string { return "mul_scalar" }

// Attrs implements graph.Op.
func (o mulScalarOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "c", Value: o.c}} }

// Infer implements graph.Op.
func (mulScalarOp) Infer(in []graph.Type) ([]graph.Type, error) { return inferFloatMap(in) }

// Gradient implements graph.Differentiable.
func (o mulScalarOp) Gradient(_ *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{MulScalar(ct, o.c)}
}

// Lower implements Op.
func (o mulScalarOp) Lower(_ []graph.Type, out graph.Type) Lowering {
	c := float32(o.c)
	l := lowerFloatMap(out, func(dst, x []float32) { kernel.Scale(dst, x, c) })
	l.Elements.AddMap = func(dst, x []float32) { kernel.Axpy(dst, x, c) }
	return l
}

// Eval implements Op.
func (o mulScalarOp) Eval(in []*Tensor) (*Tensor, error) {
	return evalFloatMap(in[0], func(x float64) float64 { return o.c * x }), nil
}

var _ graph.Differentiable = mulScalarOp{}
