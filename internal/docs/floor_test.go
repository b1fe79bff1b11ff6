package docs

import (
	"math"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// floor rounds down. It has no gradient rule.
type floor struct{ broken bool }

func (floor) Name() string                                { return "floor" }
func (floor) Attrs() []graph.Attr                         { return nil }
func (floor) Infer(in []graph.Type) ([]graph.Type, error) { return in[:1], nil }

func (floor) Eval(in []*ops.Tensor) (*ops.Tensor, error) {
	y := in[0].Clone()
	for i, x := range y.F {
		y.F[i] = math.Floor(x)
	}
	return y, nil
}

func (f floor) Lower([]graph.Type, graph.Type) ops.Lowering {
	return ops.Lowering{Rows: func(b *ops.Batch) error {
		for i := range b.N {
			out := b.Out.Row(i, 1)
			if f.broken {
				out = out[1:]
			}
			out[0] = float32(math.Floor(float64(b.In[0].Row(i, 1)[0])))
		}
		return nil
	}}
}

// straightThrough is floor with the gradient of the identity.
type straightThrough struct{ floor }

func (straightThrough) Gradient(_ *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{ct}
}

func provokeGradient() error {
	return optest.CheckGradient(optest.Case{
		Name:  "floor",
		In:    []graph.Type{graph.T(graph.Float32)},
		Build: func(_ *graph.Module, in []graph.Value) graph.Value { return graph.Apply(straightThrough{}, in[0]) },
	}, nil)
}
