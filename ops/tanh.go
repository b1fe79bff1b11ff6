package ops

import (
	"math"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type tanhOp struct{ *unary }

var (
	tanh = tanhOp{&unary{name: "tanh", floats: kernel.Tanh, evalFloat: math.Tanh}}
	// tanhGrad is g * (1-y²) for y = tanh(x).
	tanhGrad = &pairwise{
		name: "tanh_grad", floats: kernel.DTanh, addFloats: kernel.AddDTanh,
		evalFloat: func(g, y float64) float64 { return g * (1 - y*y) },
	}
)

// Tanh returns the hyperbolic tangent, element-wise. Gradient: dx = ct*(1-y²),
// where y is the result.
func Tanh(x graph.Value) graph.Value { return apply(tanh, x) }

// Gradient implements graph.Differentiable.
func (tanhOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(tanhGrad, ct, n.Result(0))}
}
