package ops

import (
	"math"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type expOp struct{ *unary }

var exp = expOp{&unary{name: "exp", floats: kernel.Exp, evalFloat: math.Exp}}

// Exp returns the exponential, element-wise, of f32. Gradient: dx = ct*y, where
// y is the result.
func Exp(x graph.Value) graph.Value { return apply(exp, x) }

// Gradient implements graph.Differentiable.
func (expOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{Mul(ct, n.Result(0))}
}
