package ops

import "github.com/frondml/frond/graph"

type reluOp struct{ *unary }

var (
	relu = reluOp{&unary{
		name: "relu", floats: reluFloats,
		evalFloat: func(x float64) float64 { return max(x, 0) },
	}}
	// reluGrad is g where y = relu(x) is positive, else 0.
	reluGrad = &pairwise{
		name: "relu_grad", floats: reluGradFloats,
		evalFloat: func(y, g float64) float64 {
			if y > 0 {
				return g
			}
			return 0
		},
	}
)

// Relu returns max(x, 0), element-wise, of f32. Gradient: dx = ct where x is
// positive, else 0.
func Relu(x graph.Value) graph.Value { return apply(relu, x) }

// Gradient implements graph.Differentiable.
func (reluOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(reluGrad, n.Result(0), ct)}
}

func reluFloats(dst, x []float32) {
	for i, v := range x {
		dst[i] = max(v, 0)
	}
}

func reluGradFloats(dst, y, g []float32) {
	y, g = y[:len(dst)], g[:len(dst)]
	for i := range dst {
		if y[i] > 0 {
			dst[i] = g[i]
		} else {
			dst[i] = 0
		}
	}
}
