package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var listCases = []optest.Case{
	caseOf("list", variadic(ops.List), f32(3), f32(3)),
	caseOf("list", variadic(ops.List), f32()),
	caseOf("list", variadic(ops.List), f32(2, 2), f32(2, 2), f32(2, 2)),
	caseOf("list twice", func(in []graph.Value) graph.Value { return ops.List(in[0], in[1], in[0]) }, f32(2), f32(2)),
	noGradCase(caseOf("list", variadic(ops.List), i32(), i32())),
	noGradCase(caseOf("list", variadic(ops.List), i32(2), i32(2))),
	noGradCase(caseOf("list", variadic(ops.List), boolean(), boolean())),
}

func TestListValues(t *testing.T) {
	x, y := optest.F(optest.Dims(2), 1, 2), optest.F(optest.Dims(2), 3, 4)
	assert.Equal(t, optest.F(optest.Dims(2, 2), 1, 2, 3, 4), eval(t, variadic(ops.List), x, y))
	assert.Equal(t, []int32{5, 6}, eval(t, variadic(ops.List), optest.I(nil, 5), optest.I(nil, 6)).I)
}

func TestListMistakes(t *testing.T) {
	testMistakes(t, variadic(ops.List),
		mistake{types(f32(2), f32(3)), "list: shape error: input 0 is f32[2], input 1 f32[3]: want one type", graph.ErrShape},
		mistake{types(f32(), i32()), "input 0 is f32, input 1 i32: want one element type", graph.ErrDType},
		mistake{types(f32(anyLen, 2)), "element 0 is the list f32[? 2]; Join", graph.ErrShape},
	)
}
