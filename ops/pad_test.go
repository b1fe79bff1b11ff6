package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func pad(axis, from, extent int) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value { return ops.Pad(in[0], axis, from, extent) }
}

var padCases = []optest.Case{
	caseOf("pad 0 1 6", pad(0, 1, 6), f32(3)),
	caseOf("pad 0 0 3", pad(0, 0, 3), f32(3)),
	caseOf("pad 1 2 5", pad(1, 2, 5), f32(3, 2)),
	caseOf("pad 0 1 4", pad(0, 1, 4), f32(3, 2)),
	caseOf("pad 1 0 3", pad(1, 0, 3), f32(2, 2, 3)),
	caseOf("pad -1 4 7 list", pad(-1, 4, 7), f32(anyLen, 3)),
	caseOf("pad 1 1 3 list", pad(1, 1, 3), f32(anyLen, 1, 3)),
	noGradCase(caseOf("pad 1 1 4", pad(1, 1, 4), i32(3, 2))),
}

func TestPadValues(t *testing.T) {
	x := optest.F(optest.Dims(2, 1), 1, 2)
	assert.Equal(t, optest.F(optest.Dims(2, 3), 0, 1, 0, 0, 2, 0), eval(t, pad(1, 1, 3), x))
	assert.Equal(t, optest.F(optest.Dims(3, 1), 0, 1, 2), eval(t, pad(0, 1, 3), x))
}

func TestPadWindow(t *testing.T) {
	w, ok := ops.PadOp{Axis: 1, From: 150, Extent: 600}.Window(f32(anyLen, 100))
	assert.True(t, ok)
	assert.Equal(t, ops.Window{From: 150, Size: 100}, w)
	w, ok = ops.PadOp{Axis: 0, From: 2, Extent: 6}.Window(f32(3, 4))
	assert.True(t, ok)
	assert.Equal(t, ops.Window{From: 8, Size: 12}, w)
	_, ok = ops.PadOp{Axis: 1, From: 2, Extent: 6}.Window(f32(3, 4))
	assert.False(t, ok)
}

func TestPadMistakes(t *testing.T) {
	testMistakes(t, pad(0, 2, 4),
		mistake{types(f32(3)), "pad: shape error: x f32[3] at 2 along axis 0 does not fit into an extent of 4", graph.ErrShape},
		mistake{types(f32()), "x f32 has no axes", graph.ErrShape},
		mistake{types(f32(anyLen)), "axis 0 is that of the list", graph.ErrShape},
	)
	testMistakes(t, pad(0, -1, 4), mistake{types(f32(3)), "at -1", graph.ErrShape})
}
