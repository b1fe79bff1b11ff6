package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type divOp struct{ *pairwise }

var div = divOp{&pairwise{
	name: "div", floats: kernel.Div, ints: divInts, divides: true,
	evalFloat: func(x, y float64) float64 { return x / y },
	evalInt:   func(x, y int32) int32 { return x / y },
}}

// Gradient implements graph.Differentiable.
func (divOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	dx := Div(ct, n.In[1])
	return operands(n, dx, Neg(Mul(dx, n.Result(0))))
}

// Div returns x / y, element-wise and broadcast. Floats follow IEEE 754.
// Integers are truncated towards zero as in Go; dividing by 0 is an error of
// the run that wraps ErrDivide. Gradient: dx = ct/y, dy = -ct*x/y².
func Div(x, y graph.Value) graph.Value { return apply(div, x, y) }

func divInts(dst, x, y []int32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}
