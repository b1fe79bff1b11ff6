package ops

import (
	"math"

	"github.com/frondml/frond/graph"
)

type softplusOp struct{ *unary }

var softplus = softplusOp{&unary{
	name: "softplus", floats: softplusFloats,
	evalFloat: evalSoftplus,
}}

// Softplus returns log(1+exp(x)), element-wise, of f32, without overflow.
// Gradient: dx = ct*sigmoid(x).
func Softplus(x graph.Value) graph.Value { return apply(softplus, x) }

// Gradient implements graph.Differentiable.
func (softplusOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{Mul(ct, Sigmoid(n.In[0]))}
}

func softplusFloats(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(evalSoftplus(float64(v)))
	}
}

// evalSoftplus never takes the exponential of a positive number.
func evalSoftplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
