package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func slice(axis, from, to int) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return ops.Slice(in[0], axis, from, to) }
}

var sliceCases = []optest.Case{
	caseOf("slice 0 1:4", slice(0, 1, 4), f32(6)),
	caseOf("slice 0 1:2", slice(0, 1, 2), f32(3, 4)),
	caseOf("slice 1 1:3", slice(1, 1, 3), f32(3, 4)),
	caseOf("slice 1 1:3 one row", slice(1, 1, 3), f32(1, 4)),
	caseOf("slice 1 0:1", slice(1, 0, 1), f32(2, 3, 4)),
	caseOf("slice -1 3:4", slice(-1, 3, 4), f32(2, 3, 4)),
	caseOf("slice all", slice(0, 0, 3), f32(3)),
	caseOf("slice 1 2:5 list", slice(1, 2, 5), f32(anyLen, 6)),
	caseOf("slice -1 1:2 list", slice(-1, 1, 2), f32(anyLen, 2, 3)),
	noGradCase(caseOf("slice 1 1:3", slice(1, 1, 3), i32(3, 4))),
	noGradCase(caseOf("slice 0 1:3", slice(0, 1, 3), boolean(4))),
	caseOf("split 3", func(in []graph.Value) graph.Value {
		p := ops.Split(in[0], 3)
		return ops.Concat(p[2], p[0], p[1], p[0])
	}, f32(2, 6)),
	caseOf("split 2", func(in []graph.Value) graph.Value { return ops.Split(in[0], 2)[1] }, f32(anyLen, 6)),
}

func TestSliceValues(t *testing.T) {
	x := optest.F(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	assert.Equal(t, optest.F(optest.Dims(2, 2), 2, 3, 5, 6), eval(t, slice(1, 1, 3), x))
	assert.Equal(t, optest.F(optest.Dims(1, 3), 4, 5, 6), eval(t, slice(-2, 1, 2), x))
}

func TestSliceIsAWindowWhereContiguous(t *testing.T) {
	window := func(op ops.SliceOp, x graph.Type) *ops.Window {
		out, err := op.Infer(types(x))
		assert.NoError(t, err)
		return op.Lower(types(x), out[0]).Window
	}
	assert.Equal(t, &ops.Window{From: 150, Size: 150}, window(ops.SliceOp{Axis: 0, From: 150, To: 300}, f32(600)))
	assert.Equal(t, &ops.Window{From: 150, Size: 150}, window(ops.SliceOp{Axis: 1, From: 150, To: 300}, f32(anyLen, 600)))
	assert.Equal(t, &ops.Window{From: 4, Size: 8}, window(ops.SliceOp{Axis: 0, From: 1, To: 3}, f32(5, 4)))
	assert.Nil(t, window(ops.SliceOp{Axis: 1, From: 1, To: 3}, f32(5, 4)))
}

func TestSliceMistakes(t *testing.T) {
	testMistakes(t, slice(1, 1, 4),
		mistake{types(f32(3)), "slice: shape error: x f32[3] has no axis 1", graph.ErrShape},
		mistake{types(f32(3, 3)), "x f32[3 3]: want 0 <= 1 < 4 <= 3 along axis 1", graph.ErrShape},
	)
	testMistakes(t, slice(0, 0, 1), mistake{types(f32(anyLen, 3)), "axis 0 is that of the list; Span", graph.ErrShape})
	testMistakes(t, slice(-3, 0, 1), mistake{types(f32(2, 3)), "has no axis -3", graph.ErrShape})
	testMistakes(t, slice(0, 2, 2), mistake{types(f32(3)), "want 0 <= 2 < 2", graph.ErrShape})
	testMistakes(t, slice(0, -1, 2), mistake{types(f32(3)), "want 0 <= -1 < 2", graph.ErrShape})
	split := func(k int) func([]graph.Value) graph.Value {
		return func(in []graph.Value) graph.Value {
			parts := ops.Split(in[0], k)
			assert.Len(t, parts, max(k, 1))
			return in[0]
		}
	}
	testMistakes(t, split(4), mistake{types(f32(2, 6)), "Split: shape error: x f32[2 6]: want a last axis that 4 parts divide", graph.ErrShape},
		mistake{types(f32()), "Split: shape error: x f32: want", graph.ErrShape})
	testMistakes(t, split(0), mistake{types(f32(6)), "0 parts", graph.ErrShape})
	testMistakes(t, split(-1), mistake{types(f32(6)), "-1 parts", graph.ErrShape})
}
