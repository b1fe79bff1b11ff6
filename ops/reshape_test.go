package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func reshape(dims ...int) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return ops.Reshape(in[0], dims...) }
}

var reshapeCases = []optest.Case{
	caseOf("reshape 6", reshape(6), f32(2, 3)),
	caseOf("reshape 3 2", reshape(3, 2), f32(6)),
	caseOf("reshape scalar", reshape(), f32(1, 1)),
	caseOf("reshape 1", reshape(1), f32()),
	caseOf("reshape list", reshape(anyLen, 2, 3), f32(anyLen, 6)),
	caseOf("reshape list of scalars", reshape(anyLen), f32(anyLen, 1)),
	noGradCase(caseOf("reshape 6", reshape(6), i32(2, 3))),
	noGradCase(caseOf("reshape list", reshape(anyLen, 1), boolean(anyLen))),
}

func TestReshapeKeepsRowMajorOrder(t *testing.T) {
	x := optest.F(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	assert.Equal(t, optest.F(optest.Dims(3, 2), 1, 2, 3, 4, 5, 6), eval(t, reshape(3, 2), x))
}

func TestReshapeMistakes(t *testing.T) {
	testMistakes(t, reshape(5), mistake{types(f32(2, 3)), "reshape: shape error: x f32[2 3] to f32[5]: want as many elements", graph.ErrShape})
	testMistakes(t, reshape(6), mistake{types(f32(anyLen, 6)), "the first extent of a list, and of nothing else, stays Any", graph.ErrShape})
	testMistakes(t, reshape(-2, -3), mistake{types(f32(6)), "extent -2 of axis 0", graph.ErrShape})
	testMistakes(t, reshape(2, 0), mistake{types(f32(6)), "extent 0 of axis 1", graph.ErrShape})
	testMistakes(t, reshape(2, anyLen), mistake{types(f32(6)), "extent -1 of axis 1", graph.ErrShape})
}
