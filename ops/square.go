package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type squareOp struct{ *unary }

var square = squareOp{&unary{
	name: "square", floats: squareFloats,
	evalFloat: func(x float64) float64 { return x * x },
}}

// Square returns x², element-wise, of f32. Gradient: dx = 2*x*ct.
func Square(x graph.Value) graph.Value { return apply(square, x) }

// Gradient implements graph.Differentiable.
func (squareOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{Mul(MulScalar(ct, 2), n.In[0])}
}

func squareFloats(dst, x []float32) { kernel.Mul(dst, x, x) }
