package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func concatAxis(axis int) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return ops.ConcatAxis(axis, in...) }
}

var concatCases = []optest.Case{
	caseOf("concat", variadic(ops.Concat), f32(3), f32(1), f32(2)),
	caseOf("concat", variadic(ops.Concat), f32(3)),
	caseOf("concat", variadic(ops.Concat), f32(2, 3), f32(2, 1)),
	caseOf("concat 0", concatAxis(0), f32(2, 3), f32(1, 3)),
	caseOf("concat 1", concatAxis(1), f32(2, 3, 2), f32(2, 1, 2), f32(2, 2, 2)),
	caseOf("concat", variadic(ops.Concat), f32(anyLen, 3), f32(anyLen, 2)),
	caseOf("concat", variadic(ops.Concat), f32(anyLen, 3), f32(2)),
	caseOf("concat", variadic(ops.Concat), f32(3), f32(anyLen, 2), f32(1)),
	caseOf("concat 1", concatAxis(1), f32(anyLen, 1, 2), f32(3, 2)),
	caseOf("concat", func(in []graph.Value) graph.Value { return ops.Concat(in[0], in[1], in[0]) }, f32(2), f32(3)),
	noGradCase(caseOf("concat", variadic(ops.Concat), i32(2, 3), i32(2, 1))),
}

func TestConcatValues(t *testing.T) {
	x, y := optest.F(optest.Dims(2, 1), 1, 2), optest.F(optest.Dims(2, 2), 3, 4, 5, 6)
	assert.Equal(t, optest.F(optest.Dims(2, 3), 1, 3, 4, 2, 5, 6), eval(t, variadic(ops.Concat), x, y))
	assert.Equal(t, optest.F(optest.Dims(3, 2), 1, 1, 3, 4, 5, 6), eval(t, concatAxis(0), optest.F(optest.Dims(1, 2), 1, 1), y))
	_, err := evalAs(variadic(ops.Concat), types(f32(anyLen, 1), f32(anyLen, 2)), optest.F(optest.Dims(1, 1), 1), y)
	assert.ErrorIs(t, err, ops.ErrLength)
}

func TestConcatMistakes(t *testing.T) {
	testMistakes(t, variadic(ops.Concat),
		mistake{types(f32(2, 3), f32(3, 3)), "concat: shape error: input 0 is f32[2 3], input 1 f32[3 3]: want equal extents except of axis 1", graph.ErrShape},
		mistake{types(f32(2, 3), f32(3)), "input 1 f32[3]", graph.ErrShape},
		mistake{types(f32(2), i32(3)), "input 0 is f32[2], input 1 i32[3]: want one element type", graph.ErrDType},
		mistake{types(f32(), f32()), "input 0 f32 has no axis -1", graph.ErrShape},
		mistake{types(f32(anyLen), f32(anyLen)), "Join puts lists one after the other", graph.ErrShape},
	)
	testMistakes(t, concatAxis(0), mistake{types(f32(anyLen, 2), f32(anyLen, 2)), "Join puts lists", graph.ErrShape})
	testMistakes(t, concatAxis(2), mistake{types(f32(2, 2), f32(2, 2)), "input 0 f32[2 2] has no axis 2", graph.ErrShape})
}
