package ops

import (
	"math"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

type logOp struct{ *unary }

var log = logOp{&unary{name: "log", floats: kernel.Log, evalFloat: math.Log}}

// Log returns the natural logarithm, element-wise, of f32: -Inf at 0 and NaN
// below. Gradient: dx = ct/x.
func Log(x graph.Value) graph.Value { return apply(log, x) }

// Gradient implements graph.Differentiable.
func (logOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{Div(ct, n.In[0])}
}
