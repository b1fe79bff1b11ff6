package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var joinCases = []optest.Case{
	lengths(caseOf("join", variadic(ops.Join), f32(anyLen, 3), f32(anyLen, 3)), []int{0, 0}, []int{2, 1}, []int{0, 3}, []int{1, 0}),
	lengths(caseOf("join", variadic(ops.Join), f32(anyLen), f32(anyLen), f32(anyLen)), []int{1, 2, 3}, []int{0, 1, 0}),
	lengths(caseOf("join", variadic(ops.Join), f32(anyLen)), []int{0}, []int{2}),
	noGradCase(lengths(caseOf("join", variadic(ops.Join), i32(anyLen), i32(anyLen)), []int{2, 1}, []int{0, 3})),
}

func TestJoinValues(t *testing.T) {
	out, err := evalAs(variadic(ops.Join), types(f32(anyLen), f32(anyLen)), optest.F(optest.Dims(2), 1, 2), optest.F(optest.Dims(1), 3))
	require.NoError(t, err)
	assert.Equal(t, optest.F(optest.Dims(3), 1, 2, 3), out)
}

func TestJoinMistakes(t *testing.T) {
	testMistakes(t, variadic(ops.Join),
		mistake{types(f32(anyLen), f32(3)), "join: shape error: input 1 is f32[3]: want a list", graph.ErrShape},
		mistake{types(f32(anyLen, 2), f32(anyLen, 3)), "input 0 is f32[? 2], input 1 f32[? 3]: want one type", graph.ErrShape},
	)
}
