package ops

import (
	"math"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type sigmoidOp struct{ *unary }

var (
	sigmoid = sigmoidOp{&unary{
		name: "sigmoid", floats: kernel.Sigmoid,
		evalFloat: func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	}}
	// sigmoidGrad is g * y * (1-y) for y = sigmoid(x).
	sigmoidGrad = &pairwise{
		name: "sigmoid_grad", floats: kernel.DSigmoid, addFloats: kernel.AddDSigmoid,
		evalFloat: func(g, y float64) float64 { return g * y * (1 - y) },
	}
)

// Sigmoid returns 1/(1+exp(-x)), element-wise. Gradient: dx = ct*y*(1-y), where
// y is the result.
func Sigmoid(x graph.Value) graph.Value { return apply(sigmoid, x) }

// Gradient implements graph.Differentiable.
func (sigmoidOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(sigmoidGrad, ct, n.Result(0))}
}
