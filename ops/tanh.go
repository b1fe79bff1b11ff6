package ops

import (
	"math"

	"github.com/frondml/frond/graph"
)

type tanhOp struct{ *unary }

var (
	tanh = tanhOp{&unary{name: "tanh", floats: tanhFloats, evalFloat: math.Tanh}}
	// tanhGrad is g * (1-y²) for y = tanh(x).
	tanhGrad = &pairwise{
		name: "tanh_grad", floats: tanhGradFloats,
		evalFloat: func(y, g float64) float64 { return g * (1 - y*y) },
	}
)

// Tanh returns the hyperbolic tangent, element-wise. Gradient: dx = ct*(1-y²),
// where y is the result.
func Tanh(x graph.Value) graph.Value { return apply(tanh, x) }

// Gradient implements graph.Differentiable.
func (tanhOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(tanhGrad, n.Result(0), ct)}
}

func tanhFloats(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Tanh(float64(v)))
	}
}

func tanhGradFloats(dst, y, g []float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i := range dst {
		dst[i] = g[i] * (1 - y[i]*y[i])
	}
}
