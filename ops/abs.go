package ops

import (
	"math"

	"github.com/frondml/frond/graph"
)

type absOp struct{ *unary }

var (
	abs = absOp{&unary{
		name: "abs", floats: absFloats, ints: absInts,
		evalFloat: math.Abs,
		evalInt:   func(x int32) int32 { return max(x, -x) },
	}}
	// absGrad is g * sign(x).
	absGrad = &pairwise{
		name: "abs_grad", floats: absGradFloats,
		evalFloat: func(g, x float64) float64 {
			if x == 0 {
				return 0
			}
			return math.Copysign(1, x) * g
		},
	}
)

// Abs returns |x|, element-wise, of f32 or i32 (the least i32 stays itself).
// Gradient: dx = ct*sign(x), 0 where x is 0.
func Abs(x graph.Value) graph.Value { return apply(abs, x) }

// Gradient implements graph.Differentiable.
func (absOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(absGrad, ct, n.In[0])}
}

func absFloats(dst, x []float32) {
	for i, v := range x {
		dst[i] = math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
	}
}

func absInts(dst, x []int32) {
	for i, v := range x {
		dst[i] = max(v, -v)
	}
}

func absGradFloats(dst, g, x []float32) {
	x, g = x[:len(dst)], g[:len(dst)]
	for i := range dst {
		switch {
		case x[i] > 0:
			dst[i] = g[i]
		case x[i] < 0:
			dst[i] = -g[i]
		default:
			dst[i] = 0
		}
	}
}
