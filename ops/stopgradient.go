package ops

import "github.com/frondml/frond/graph"

type stopGradientOp struct{ *unary }

var stopGradient = stopGradientOp{&unary{
	name: "stop_gradient", floats: copyElements[float32],
	evalFloat: func(x float64) float64 { return x },
}}

// StopGradient returns x, of f32, as if it were a constant: no gradient reaches
// it. It copies, because the result needs a cotangent of its own.
func StopGradient(x graph.Value) graph.Value { return apply(stopGradient, x) }

// Gradient implements graph.Differentiable.
func (stopGradientOp) Gradient(*graph.Node, graph.Value) []graph.Value { return []graph.Value{{}} }
