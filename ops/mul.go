package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type mulOp struct{ *pairwise }

var mul = mulOp{&pairwise{
	name: "mul", floats: kernel.Mul, addFloats: kernel.MulAdd, ints: mulInts,
	evalFloat: func(x, y float64) float64 { return x * y },
	evalInt:   func(x, y int32) int32 { return x * y },
}}

// Gradient implements graph.Differentiable.
func (mulOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return operands(n, Mul(ct, n.In[1]), Mul(ct, n.In[0]))
}

// Mul returns x * y, element-wise and broadcast, of f32 or i32 (which wraps
// around). Gradient: dx = ct*y, dy = ct*x.
func Mul(x, y graph.Value) graph.Value { return apply(mul, x, y) }

func mulInts(dst, x, y []int32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}
