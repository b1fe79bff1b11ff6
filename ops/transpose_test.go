package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func transpose(perm ...int) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return ops.Transpose(in[0], perm...) }
}

var transposeCases = []optest.Case{
	caseOf("transpose", transpose(), f32(2, 3)),
	caseOf("transpose", transpose(), f32(3)),
	caseOf("transpose", transpose(), f32(2, 3, 4)),
	caseOf("transpose 1 2 0", transpose(1, 2, 0), f32(2, 3, 4)),
	caseOf("transpose 0 2 1", transpose(0, 2, 1), f32(2, 3, 4)),
	caseOf("transpose", transpose(), f32(anyLen, 2, 3)),
	caseOf("transpose 0 3 1 2", transpose(0, 3, 1, 2), f32(anyLen, 2, 3, 2)),
	noGradCase(caseOf("transpose", transpose(), i32(2, 3))),
}

func TestTransposeValues(t *testing.T) {
	x := optest.F(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	assert.Equal(t, optest.F(optest.Dims(3, 2), 1, 4, 2, 5, 3, 6), eval(t, transpose(), x))
	y := optest.I(optest.Dims(1, 2, 3), 1, 2, 3, 4, 5, 6)
	assert.Equal(t, optest.I(optest.Dims(2, 3, 1), 1, 2, 3, 4, 5, 6), eval(t, transpose(1, 2, 0), y))
}

func TestTransposeMistakes(t *testing.T) {
	testMistakes(t, transpose(1, 1), mistake{types(f32(2, 3)), "transpose: shape error: x f32[2 3], axes [1 1]: want each axis once", graph.ErrShape})
	testMistakes(t, transpose(1, 0, 2), mistake{types(f32(2, 3)), "want each axis once", graph.ErrShape})
	testMistakes(t, transpose(1, 0), mistake{types(f32(anyLen, 3)), "stays the first", graph.ErrShape})
}
