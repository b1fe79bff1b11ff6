package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type subOp struct{ *pairwise }

var sub = subOp{&pairwise{
	name: "sub", floats: kernel.Sub, ints: subInts,
	evalFloat: func(x, y float64) float64 { return x - y },
	evalInt:   func(x, y int32) int32 { return x - y },
}}

// Gradient implements graph.Differentiable.
func (subOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return operands(n, ct, Neg(ct))
}

// Sub returns x - y, element-wise and broadcast, of f32 or i32 (which wraps
// around). Gradient: dx = ct, dy = -ct.
func Sub(x, y graph.Value) graph.Value { return apply(sub, x, y) }

func subInts(dst, x, y []int32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}
