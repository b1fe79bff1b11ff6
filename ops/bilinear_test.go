package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var bilinearCases = []optest.Case{
	caseOf("bilinear", three(ops.Bilinear), f32(3), f32(2, 3, 4), f32(4)),
	caseOf("bilinear", three(ops.Bilinear), f32(anyLen, 3), f32(2, 3, 4), f32(anyLen, 4)),
	caseOf("bilinear", three(ops.Bilinear), f32(anyLen, 3), f32(2, 3, 4), f32(4)),
	caseOf("bilinear", three(ops.Bilinear), f32(3), f32(2, 3, 4), f32(anyLen, 4)),
}

func TestBilinearValues(t *testing.T) {
	a, b := optest.F(optest.Dims(2), 2, 3), optest.F(optest.Dims(2), 5, 7)
	v := optest.F(optest.Dims(2, 2, 2), 1, 0, 0, 0 /**/, 1, 10, 100, 1000)
	assert.Equal(t, optest.F(optest.Dims(2), 10, 10+140+1500+21000), eval(t, three(ops.Bilinear), a, v, b))
}

func TestBilinearMistakes(t *testing.T) {
	testMistakes(t, three(ops.Bilinear),
		mistake{types(f32(3), f32(2, 3), f32(4)), "Bilinear: shape error: a f32[3], v f32[2 3], b f32[4]: want v [k n m]", graph.ErrShape},
		mistake{types(f32(3), f32(2, 3, 5), f32(4)), "want a [.. 3], b [.. 5]", graph.ErrShape},
		mistake{types(f32(3), f32(2, 4, 3), f32(4)), "want a [.. 4], b [.. 3]", graph.ErrShape},
		mistake{types(f32(), f32(2, 4, 3), f32(4)), "want vectors", graph.ErrShape},
	)
}

func TestMistakesInCompositionsAreReportedOnce(t *testing.T) {
	err := buildError(func(in []graph.Value) graph.Value {
		bad := ops.MatMul(in[0], in[0])
		ops.Bilinear(bad, in[1], in[0])
		ops.Bilinear(in[0], bad, in[0])
		ops.WeightedSum(bad, in[1])
		ops.WeightedSum(in[1], bad)
		ops.Split(bad, 3)
		ops.Stack(in[0], bad)
		ops.Concat(bad, in[0])
		ops.Slice(bad, -1, 0, 1)
		ops.Pad(bad, -1, 0, 1)
		ops.Transpose(bad)
		ops.Reshape(bad)
		ops.At(bad, in[0])
		ops.ScatterAt(bad, in[0], bad)
		ops.Len(bad)
		ops.Span(bad, bad, bad)
		ops.List(bad)
		ops.Join(bad)
		return ops.Range(bad)
	}, f32(3), f32(2, 3, 3))
	require.Error(t, err)
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	assert.Len(t, joined.Unwrap(), 1, "%v", err)
}
