package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// unary is an element-wise operator of one operand that keeps its type. An
// operator with a gradient rule embeds it.
type unary struct {
	name      string
	floats    func(dst, x []float32)
	ints      func(dst, x []int32) // nil: not for integers
	evalFloat func(x float64) float64
	evalInt   func(x int32) int32
}

// Name implements graph.Op.
func (o *unary) Name() string { return o.name }

// Attrs implements graph.Op.
func (o *unary) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (o *unary) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	if x := in[0]; !x.DType.IsFloat() && (x.DType != graph.Int32 || o.ints == nil) {
		return nil, fmt.Errorf("%w: x %v: not defined for %v", graph.ErrDType, x, x.DType)
	}
	return in, nil
}

// Lower implements Op.
func (o *unary) Lower(in []graph.Type, out graph.Type) Lowering {
	row := rowType(out).Shape
	if out.DType.IsFloat() {
		return lowerFloatMap(out, o.floats)
	}
	return Lowering{Rows: mapRows(align(row, row), ints, ints, o.ints)}
}

// Eval implements Op.
func (o *unary) Eval(in []*Tensor) (*Tensor, error) {
	z := in[0].Clone()
	for i, x := range z.F {
		z.F[i] = o.evalFloat(x)
	}
	for i, x := range z.I {
		z.I[i] = o.evalInt(x)
	}
	return z, nil
}

// inferFloatMap is the shape rule of element-wise operators of one float operand.
func inferFloatMap(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	if err := wantFloat(in...); err != nil {
		return nil, err
	}
	return in, nil
}

// lowerFloatMap is the batching rule of element-wise operators of one float operand.
func lowerFloatMap(out graph.Type, f func(dst, x []float32)) Lowering {
	row := rowType(out).Shape
	return Lowering{Rows: mapRows(align(row, row), floats, floats, f), Elements: &Elements{Map: f}}
}

// evalFloatMap applies f to the elements of a float tensor.
func evalFloatMap(x *Tensor, f func(float64) float64) *Tensor {
	z := x.Clone()
	for i, v := range z.F {
		z.F[i] = f(v)
	}
	return z
}
