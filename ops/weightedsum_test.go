package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var weightedSumCases = []optest.Case{
	caseOf("weightedsum", two(ops.WeightedSum), f32(anyLen), f32(anyLen, 4)),
	caseOf("weightedsum", two(ops.WeightedSum), f32(anyLen), f32(anyLen)),
	caseOf("weightedsum", two(ops.WeightedSum), f32(anyLen), f32(anyLen, 2, 3)),
	caseOf("weightedsum", two(ops.WeightedSum), f32(3), f32(3, 2)),
}

func TestWeightedSumValues(t *testing.T) {
	in := types(f32(anyLen), f32(anyLen, 2))
	out, err := evalAs(two(ops.WeightedSum), in, optest.F(optest.Dims(2), 2, -1), optest.F(optest.Dims(2, 2), 1, 2, 3, 4))
	require.NoError(t, err)
	assert.Equal(t, optest.F(optest.Dims(2), -1, 0), out)
	out, err = evalAs(two(ops.WeightedSum), in, optest.F(optest.Dims(0)), optest.F(optest.Dims(0, 2)))
	require.NoError(t, err)
	assert.Equal(t, optest.F(optest.Dims(2), 0, 0), out)
}

func TestWeightedSumMistakes(t *testing.T) {
	testMistakes(t, two(ops.WeightedSum),
		mistake{types(f32(anyLen), f32(3, 4)), "WeightedSum: shape error: w f32[?], xs f32[3 4]: want", graph.ErrShape},
		mistake{types(f32(anyLen, 1), f32(anyLen, 4)), "w f32[? 1], xs f32[? 4]: want", graph.ErrShape},
		mistake{types(f32(3), f32()), "w f32[3], xs f32: want", graph.ErrShape},
	)
}
