package ops

import (
	"math"

	"github.com/frondml/frond/graph"
)

type powOp struct{ *pairwise }

var pow = powOp{&pairwise{name: "pow", floats: powFloats, evalFloat: math.Pow}}

// Pow returns x to the power of y, element-wise and broadcast, of f32, with the
// special cases of math.Pow. Gradient: dx = ct*y*x^(y-1), 0 where y is 0;
// dy = ct*z*log(x), where z is the result, 0 where x is not positive.
func Pow(x, y graph.Value) graph.Value { return apply(pow, x, y) }

// Gradient implements graph.Differentiable.
func (powOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	x, y := n.In[0], n.In[1]
	zero := ct.Module().Float(0)
	dx := Mul(y, Pow(x, AddScalar(y, -1)))
	dx = Mul(ct, Where(Equal(y, zero), zero, dx))
	dy := Where(Greater(x, zero), Log(x), zero)
	return operands(n, dx, Mul(ct, Mul(n.Result(0), dy)))
}

func powFloats(dst, x, y []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = float32(math.Pow(float64(x[i]), float64(y[i])))
	}
}
