package ops

import "github.com/frondml/frond/graph"

type negOp struct{ *unary }

var neg = negOp{&unary{
	name: "neg", floats: negElements[float32], ints: negElements[int32],
	evalFloat: func(x float64) float64 { return -x },
	evalInt:   func(x int32) int32 { return -x },
}}

// Neg returns -x, element-wise, of f32 or i32. Gradient: dx = -ct.
func Neg(x graph.Value) graph.Value { return apply(neg, x) }

// Gradient implements graph.Differentiable.
func (negOp) Gradient(_ *graph.Node, ct graph.Value) []graph.Value { return []graph.Value{Neg(ct)} }

func negElements[T element](dst, x []T) {
	for i, v := range x {
		dst[i] = -v
	}
}
