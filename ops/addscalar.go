package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type addScalarOp struct{ c float64 }

// AddScalar returns x + c, element-wise, of f32. Gradient: dx = ct.
func AddScalar(x graph.Value, c float64) graph.Value { return apply(addScalarOp{c}, x) }

// Name implements graph.Op.
func (addScalarOp) Name() string { return "add_scalar" }

// Attrs implements graph.Op.
func (o addScalarOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "c", Value: o.c}} }

// Infer implements graph.Op.
func (addScalarOp) Infer(in []graph.Type) ([]graph.Type, error) { return inferFloatMap(in) }

// Gradient implements graph.Differentiable.
func (addScalarOp) Gradient(_ *graph.Node, ct graph.Value) []graph.Value { return []graph.Value{ct} }

// Lower implements Op.
func (o addScalarOp) Lower(_ []graph.Type, out graph.Type) Lowering {
	c := float32(o.c)
	return lowerFloatMap(out, func(dst, x []float32) { kernel.AddScalar(dst, x, c) })
}

// Eval implements Op.
func (o addScalarOp) Eval(in []*Tensor) (*Tensor, error) {
	return evalFloatMap(in[0], func(x float64) float64 { return x + o.c }), nil
}

var _ graph.Differentiable = addScalarOp{}
