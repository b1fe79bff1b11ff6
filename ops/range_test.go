package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var rangeCases = []optest.Case{
	noGradCase(caseOf("range", one(ops.Range), i32())),
	noGradCase(caseOf("range of len", func(in []graph.Value) graph.Value { return ops.Range(ops.Len(in[0])) }, f32(anyLen, 2))),
}

func TestRangeValues(t *testing.T) {
	assert.Equal(t, optest.I(optest.Dims(3), 0, 1, 2), eval(t, one(ops.Range), optest.I(nil, 3)))
	assert.Empty(t, eval(t, one(ops.Range), optest.I(nil, 0)).I)
}

func TestRangeOfNegativeLength(t *testing.T) {
	kernelError(t, registered(t, "range"), ops.ErrLength, types(i32()), []*ops.Tensor{optest.I(nil, 0)}, []*ops.Tensor{optest.I(nil, -1)})
}

func TestRangeMistakes(t *testing.T) {
	testMistakes(t, one(ops.Range),
		mistake{types(f32()), "range: element type error: n f32: want i32", graph.ErrDType},
		mistake{types(i32(2)), "n i32[2]: want a scalar", graph.ErrShape},
	)
}
