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
}

func TestLenValues(t *testing.T) {
	assert.Equal(t, optest.I(nil, 4), eval(t, one(ops.Len), optest.F(optest.Dims(4, 1), 1, 2, 3, 4)))
	out, err := evalAs(one(ops.Len), types(boolean(anyLen)), optest.B(optest.Dims(2), 1, 1))
	assert.NoError(t, err)
	assert.Equal(t, optest.I(nil, 2), out)
}

func TestLenMistakes(t *testing.T) {
	testMistakes(t, one(ops.Len), mistake{types(f32()), "len: shape error: x f32: want a list [? ...]", graph.ErrShape})
}
