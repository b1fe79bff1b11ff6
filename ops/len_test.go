package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var lenCases = []optest.Case{
	noGradCase(caseOf("len", one(ops.Len), f32(anyLen, 3))),
	noGradCase(caseOf("len", one(ops.Len), i32(anyLen))),
	noGradCase(caseOf("len", one(ops.Len), f32(4, 3))),
	noGradCase(lengths(caseOf("same_length", variadic(ops.SameLength), f32(anyLen, 3), i32(anyLen)), []int{2, 2}, []int{0, 0})),
	noGradCase(lengths(caseOf("same_length", variadic(ops.SameLength), f32(anyLen), f32(anyLen), f32(anyLen)), []int{3, 3, 3})),
}

func TestLenValues(t *testing.T) {
	assert.Equal(t, optest.I(nil, 4), eval(t, one(ops.Len), optest.F(optest.Dims(4, 1), 1, 2, 3, 4)))
	out, err := evalAs(one(ops.Len), types(boolean(anyLen)), optest.B(optest.Dims(2), 1, 1))
	assert.NoError(t, err)
	assert.Equal(t, optest.I(nil, 2), out)
}

func TestSameLengthValues(t *testing.T) {
	lists := types(f32(anyLen), i32(anyLen), i32(anyLen, 2))
	two, three := optest.F(optest.Dims(2), 1, 2), optest.I(optest.Dims(3), 1, 2, 3)
	out, err := evalAs(variadic(ops.SameLength), lists, two, optest.I(optest.Dims(2), 1, 2), optest.I(optest.Dims(2, 2), 1, 2, 3, 4))
	assert.NoError(t, err)
	assert.Equal(t, optest.I(nil, 2), out)
	_, err = evalAs(variadic(ops.SameLength), lists[:2], two, three)
	assert.ErrorIs(t, err, ops.ErrLength)
	assert.ErrorContains(t, err, "list 0 has 2 elements, list 1 has 3")
	testMistakes(t, variadic(ops.SameLength), mistake{types(f32(anyLen), f32(3)), "same_length: shape error: input 1 is f32[3]: want a list", graph.ErrShape})
}

func TestLenMistakes(t *testing.T) {
	testMistakes(t, one(ops.Len), mistake{types(f32()), "len: shape error: x f32: want a list [? ...]", graph.ErrShape})
}
