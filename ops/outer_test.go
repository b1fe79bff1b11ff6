package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var outerCases = []optest.Case{
	caseOf("outer", two(ops.Outer), f32(4), f32(3)),
	caseOf("outer", two(ops.Outer), f32(1), f32(5)),
	caseOf("outer", two(ops.Outer), f32(anyLen, 4), f32(anyLen, 3)),
	caseOf("outer", two(ops.Outer), f32(anyLen, 4), f32(3)),
	caseOf("outer", two(ops.Outer), f32(4), f32(anyLen, 3)),
}

func TestOuterValues(t *testing.T) {
	a, b := optest.F(optest.Dims(2), 2, -3), optest.F(optest.Dims(3), 1, 0, 4)
	assert.Equal(t, optest.F(optest.Dims(2, 3), 2, 0, 8, -3, 0, -12), eval(t, two(ops.Outer), a, b))
	_, err := evalAs(two(ops.Outer), types(f32(anyLen, 1), f32(anyLen, 1)), optest.F(optest.Dims(1, 1), 1), optest.F(optest.Dims(2, 1), 1, 2))
	assert.ErrorIs(t, err, ops.ErrLength)
}

func TestOuterMistakes(t *testing.T) {
	testMistakes(t, two(ops.Outer),
		mistake{types(f32(3), f32()), "outer: shape error: a f32[3], b f32: want vectors", graph.ErrShape},
		mistake{types(f32(3, 2), f32(3)), "a f32[3 2], b f32[3]: want vectors", graph.ErrShape},
		mistake{types(i32(3), f32(3)), "input 0 is i32[3], want f32", graph.ErrDType},
	)
}
