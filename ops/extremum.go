package ops

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type (
	maximumOp struct{ *pairwise }
	minimumOp struct{ *pairwise }
)

var (
	maximum = maximumOp{&pairwise{
		name: "maximum", floats: kernel.Max, ints: maximumInts,
		evalFloat: func(x, y float64) float64 { return max(x, y) },
		evalInt:   func(x, y int32) int32 { return max(x, y) },
	}}
	minimum = minimumOp{&pairwise{
		name: "minimum", floats: kernel.Min, ints: minimumInts,
		evalFloat: func(x, y float64) float64 { return min(x, y) },
		evalInt:   func(x, y int32) int32 { return min(x, y) },
	}}
)

// Maximum returns the larger of x and y, element-wise and broadcast, of f32 or
// i32; NaN when one is NaN. Gradient: ct goes to the larger, to x when they are
// equal.
func Maximum(x, y graph.Value) graph.Value { return apply(maximum, x, y) }

// Minimum returns the smaller of x and y, element-wise and broadcast, of f32 or
// i32; NaN when one is NaN. Gradient: ct goes to the smaller, to x when they are
// equal.
func Minimum(x, y graph.Value) graph.Value { return apply(minimum, x, y) }

// Gradient implements graph.Differentiable.
func (maximumOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return chosen(n, ct, GreaterEqual(n.In[0], n.In[1]))
}

// Gradient implements graph.Differentiable.
func (minimumOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return chosen(n, ct, LessEqual(n.In[0], n.In[1]))
}

// chosen gives ct to the first operand where first is true, else to the second.
func chosen(n *graph.Node, ct, first graph.Value) []graph.Value {
	zero := ct.Module().Float(0)
	return operands(n, Where(first, ct, zero), Where(first, zero, ct))
}

func maximumInts(dst, x, y []int32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

func minimumInts(dst, x, y []int32) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}
