package ops

import "github.com/frondml/frond/graph"

type reciprocalOp struct{ *unary }

var reciprocal = reciprocalOp{&unary{
	name: "reciprocal", floats: reciprocalFloats,
	evalFloat: func(x float64) float64 { return 1 / x },
}}

// Reciprocal returns 1/x, element-wise, of f32. Gradient: dx = -ct*y², where y
// is the result.
func Reciprocal(x graph.Value) graph.Value { return apply(reciprocal, x) }

// Gradient implements graph.Differentiable.
func (reciprocalOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{Neg(Mul(ct, Square(n.Result(0))))}
}

func reciprocalFloats(dst, x []float32) {
	for i, v := range x {
		dst[i] = 1 / v
	}
}
