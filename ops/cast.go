package ops

import (
	"fmt"
	"math"

	"github.com/frondml/frond/graph"
)

type castOp struct{ to graph.DType }

// Cast converts the elements of x to another type. f32 to i32 truncates towards
// zero, limits what does not fit to the nearest i32, and gives 0 for NaN. To
// bool, everything but 0 is true; from bool, true is 1. i32 to f32 rounds. No
// gradient flows through a conversion to or from i32 or bool.
func Cast(x graph.Value, to graph.DType) graph.Value {
	if x.Node() != nil && x.Type().DType == to {
		return x
	}
	return apply(castOp{to}, x)
}

// Name implements graph.Op.
func (castOp) Name() string { return "cast" }

// Attrs implements graph.Op.
func (o castOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "to", Value: o.to}} }

// Infer implements graph.Op.
func (o castOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	x := in[0]
	if o.to != graph.Float32 && o.to != graph.Int32 && o.to != graph.Boolean || x.DType == o.to {
		return nil, fmt.Errorf("%w: x %v to %v: want another type of f32, i32 and bool", graph.ErrDType, x, o.to)
	}
	return []graph.Type{{DType: o.to, Shape: x.Shape}}, nil
}

// Lower implements Op.
func (o castOp) Lower(in []graph.Type, out graph.Type) Lowering {
	row := rowType(out).Shape
	a := align(row, row)
	switch from := in[0].DType; {
	case o.to == graph.Float32:
		return Lowering{Rows: mapRows(a, ints, floats, intsToFloats)}
	case from.IsFloat() && o.to == graph.Int32:
		return Lowering{Rows: mapRows(a, floats, ints, floatsToInts)}
	case from.IsFloat():
		return Lowering{Rows: mapRows(a, floats, ints, truths[float32])}
	case o.to == graph.Boolean:
		return Lowering{Rows: mapRows(a, ints, ints, truths[int32])}
	}
	return Lowering{Rows: mapRows(a, ints, ints, copyElements[int32])}
}

func intsToFloats(dst []float32, x []int32) {
	for i, v := range x {
		dst[i] = float32(v)
	}
}

func floatsToInts(dst []int32, x []float32) {
	for i, v := range x {
		dst[i] = truncate(float64(v))
	}
}

func truths[T element](dst []int32, x []T) {
	for i, v := range x {
		dst[i] = truth(v != 0)
	}
}

// truncate converts to an integer; Go leaves open what becomes of values that do
// not fit.
func truncate(x float64) int32 {
	switch {
	case x != x:
		return 0
	case x <= math.MinInt32:
		return math.MinInt32
	case x >= math.MaxInt32:
		return math.MaxInt32
	}
	return int32(x)
}

// Eval implements Op.
func (o castOp) Eval(in []*Tensor) (*Tensor, error) {
	x := in[0]
	z := NewTensor(o.to, x.Shape...)
	for i := range x.Len() {
		switch {
		case o.to == graph.Float32:
			z.F[i] = float64(x.I[i])
		case o.to == graph.Int32 && x.DType.IsFloat():
			z.I[i] = truncate(x.F[i])
		case o.to == graph.Int32:
			z.I[i] = x.I[i]
		case x.DType.IsFloat():
			z.I[i] = truth(x.F[i] != 0)
		default:
			z.I[i] = truth(x.I[i] != 0)
		}
	}
	return z, nil
}
