package ops

import (
	"math"

	"github.com/frondml/frond/graph"
)

type sqrtOp struct{ *unary }

var sqrt = sqrtOp{&unary{name: "sqrt", floats: sqrtFloats, evalFloat: math.Sqrt}}

// Sqrt returns the square root, element-wise, of f32; NaN below 0. Gradient:
// dx = ct/(2y), where y is the result; it is not finite at 0.
func Sqrt(x graph.Value) graph.Value { return apply(sqrt, x) }

// Gradient implements graph.Differentiable.
func (sqrtOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{Div(MulScalar(ct, 0.5), n.Result(0))}
}

func sqrtFloats(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Sqrt(float64(v)))
	}
}
