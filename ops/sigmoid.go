package ops

import (
	"math"

	"github.com/frondml/frond/graph"
)

type sigmoidOp struct{ *unary }

var (
	sigmoid = sigmoidOp{&unary{
		name: "sigmoid", floats: sigmoidFloats,
		evalFloat: func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	}}
	// sigmoidGrad is g * y * (1-y) for y = sigmoid(x).
	sigmoidGrad = &pairwise{
		name: "sigmoid_grad", floats: sigmoidGradFloats,
		evalFloat: func(y, g float64) float64 { return g * y * (1 - y) },
	}
)

// Sigmoid returns 1/(1+exp(-x)), element-wise. Gradient: dx = ct*y*(1-y), where
// y is the result.
func Sigmoid(x graph.Value) graph.Value { return apply(sigmoid, x) }

// Gradient implements graph.Differentiable.
func (sigmoidOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(sigmoidGrad, n.Result(0), ct)}
}

func sigmoidFloats(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
}

func sigmoidGradFloats(dst, y, g []float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i := range dst {
		dst[i] = g[i] * y[i] * (1 - y[i])
	}
}
