package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type reluOp struct{ *unary }

var (
	relu = reluOp{&unary{
		name: "relu", floats: kernel.Relu,
		evalFloat: func(x float64) float64 { return max(x, 0) },
	}}
	// reluGrad is g where y = relu(x) is positive, else 0.
	reluGrad = &pairwise{
		name: "relu_grad", floats: kernel.DRelu, addFloats: kernel.AddDRelu,
		evalFloat: func(g, y float64) float64 {
			if y > 0 {
				return g
			}
			return 0
		},
	}
)

// Relu returns max(x, 0), element-wise, of f32. Gradient: dx = ct where x is
// positive, else 0.
func Relu(x graph.Value) graph.Value { return apply(relu, x) }

// Gradient implements graph.Differentiable.
func (reluOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(reluGrad, ct, n.Result(0))}
}
