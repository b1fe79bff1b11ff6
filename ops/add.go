package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type addOp struct{ *pairwise }

var add = addOp{&pairwise{
	name: "add", floats: kernel.Add, ints: addInts,
	evalFloat: func(x, y float64) float64 { return x + y },
	evalInt:   func(x, y int32) int32 { return x + y },
}}

// Gradient implements graph.Differentiable.
func (addOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return operands(n, ct, ct)
}

// Add returns x + y, element-wise and broadcast, of f32 or i32 (which wraps
// around); more operands are added one after the other. Each cotangent is that
// of the result.
func Add(x, y graph.Value, more ...graph.Value) graph.Value {
	z := apply(add, x, y)
	for _, v := range more {
		z = apply(add, z, v)
	}
	return z
}

func addInts(dst, x, y []int32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// IsAdd reports whether an operator is that of [Add]: another may have its name.
func IsAdd(op graph.Op) bool { return op == graph.Op(add) }
