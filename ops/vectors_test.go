package ops_test

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// vectorCases are those of operators on vectors along the last axis.
var vectorCases = slices.Concat(reductionCases("mean", ops.Mean)[:8], with(reductionCases("mean", ops.Mean)[8:], notEmpty), []optest.Case{
	binaryCase("dot", ops.Dot, f32(40), f32(40)),
	binaryCase("dot", ops.Dot, f32(3, 5), f32(3, 5)),
	binaryCase("dot", ops.Dot, f32(anyLen, 5), f32(anyLen, 5)),
	binaryCase("dot", ops.Dot, f32(anyLen, 5), f32(5)),
	binaryCase("squared_distance", ops.SquaredDistance, f32(40), f32(40)),
	binaryCase("squared_distance", ops.SquaredDistance, f32(5), f32(anyLen, 5)),
	layerNormCase(f32(40), 0.1),
	layerNormCase(f32(3, 5), 0),
	layerNormCase(f32(anyLen, 5), 0.1),
	layerNormCase(f32(anyLen, 2, 5), 0.1),
})

func layerNormCase(x graph.Type, eps float64) optest.Case {
	d := f32(x.Shape[x.Rank()-1])
	return optest.Case{
		Name: "layer_norm " + x.String(),
		Build: func(_ *graph.Module, in []graph.Value) graph.Value {
			return ops.LayerNorm(in[0], in[1], in[2], eps)
		},
		In: []graph.Type{x, d, d},
	}
}
