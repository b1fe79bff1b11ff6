package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var stackCases = []optest.Case{
	caseOf("stack", variadic(ops.Stack), f32(), f32(), f32()),
	caseOf("stack", variadic(ops.Stack), f32(3), f32(3)),
	caseOf("stack", variadic(ops.Stack), f32(2, 3), f32(2, 3)),
	caseOf("stack", variadic(ops.Stack), f32(anyLen, 3), f32(anyLen, 3)),
	caseOf("stack", variadic(ops.Stack), f32(anyLen), f32(anyLen)),
	caseOf("stack", variadic(ops.Stack), f32(3), f32(anyLen, 3)),
	noGradCase(caseOf("stack", variadic(ops.Stack), i32(2), i32(2))),
}

func TestStackValues(t *testing.T) {
	x, y := optest.F(optest.Dims(2), 1, 2), optest.F(optest.Dims(2), 3, 4)
	assert.Equal(t, optest.F(optest.Dims(2, 2), 1, 2, 3, 4), eval(t, variadic(ops.Stack), x, y))
}

func TestStackMistakes(t *testing.T) {
	testMistakes(t, variadic(ops.Stack), mistake{types(f32(2), f32(3)), "want equal extents", graph.ErrShape})
}
