package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func dropout(x graph.Value) graph.Value { return ops.Dropout(x, 0.5) }

// Without a seed, as in the suite, dropout is the identity.
var dropoutCases = unaryCasesOf("dropout", dropout, f32)

// thinned runs the kernel on rows of ones.
func thinned(op ops.DropoutOp, size int, seed uint64, keys ...uint32) []float32 {
	n := len(keys)
	b := &ops.Batch{N: n, Seed: seed, Keys: keys, Tmp: &ops.Scratch{}}
	b.In = []ops.Rows{{F: slices.Repeat([]float32{1}, n*size), Stride: size}}
	b.Out = ops.Rows{F: make([]float32, n*size), Stride: size}
	if err := op.Lower([]graph.Type{f32(size)}, f32(size)).Rows(b); err != nil {
		panic(err)
	}
	return b.Out.F
}

func TestDropoutRate(t *testing.T) {
	const size, rows = 100, 400
	keys := make([]uint32, rows)
	for i := range keys {
		keys[i] = uint32(i)
	}
	for _, rate := range []float64{0, 0.1, 0.5, 0.9} {
		dropped := 0
		for _, v := range thinned(ops.DropoutOp{Rate: rate, Salt: 5}, size, 1, keys...) {
			if v == 0 {
				dropped++
			} else {
				require.InDelta(t, 1/(1-rate), v, 1e-5)
			}
		}
		deviation := math.Sqrt(rate * (1 - rate) * size * rows)
		assert.InDelta(t, rate*size*rows, dropped, 4*deviation, "rate %v", rate)
	}
}

func TestDropoutMaskDependsOnSeedSaltKeyAndPlace(t *testing.T) {
	op := ops.DropoutOp{Rate: 0.5, Salt: 5}
	mask := thinned(op, 64, 1, 7)
	assert.NotEqual(t, mask, thinned(op, 64, 2, 7), "seed")
	assert.NotEqual(t, mask, thinned(op, 64, 1, 8), "key")
	assert.NotEqual(t, mask, thinned(ops.DropoutOp{Rate: 0.5, Salt: 6}, 64, 1, 7), "salt")
	assert.NotEqual(t, mask[:32], mask[32:], "place")
	batch := thinned(op, 64, 1, 3, 7)
	assert.Equal(t, mask, batch[64:], "the mask of a row does not depend on the batch")
}

func TestDropoutReference(t *testing.T) {
	op := ops.DropoutOp{Rate: 0.3, Salt: 5}
	x := optest.F(optest.Dims(2, 20), slices.Repeat([]float64{1}, 40)...)
	want := thinned(op, 20, 9, 4, 6)
	got, err := op.EvalKeyed([]*ops.Tensor{x}, 9, 4, 6)
	require.NoError(t, err)
	assert.Equal(t, want, narrow(got.F))
	_, err = op.EvalKeyed([]*ops.Tensor{x}, 9, 1, 2, 3)
	assert.ErrorIs(t, err, ops.ErrLength)
	same, err := op.EvalKeyed([]*ops.Tensor{x}, 0, 4, 6)
	require.NoError(t, err)
	assert.Equal(t, x, same)
}

func TestDropoutGradientHasTheSameMask(t *testing.T) {
	g, err := build(dropout, f32(20))
	require.NoError(t, err)
	forward := g.Results[0].Node().Op
	steps := g.Adjoint.Steps
	require.Len(t, steps, 1)
	assert.Equal(t, forward, steps[0].Into[0].Node().Op)
}

func TestDropoutsOfAProgramDiffer(t *testing.T) {
	g, err := build(func(x graph.Value) graph.Value { return dropout(dropout(x)) }, f32(20))
	require.NoError(t, err)
	last := g.Results[0].Node()
	assert.NotEqual(t, last.Op, last.In[0].Node().Op)
}

func TestDropoutRateOutOfRange(t *testing.T) {
	for _, rate := range []float64{-0.1, 1, math.NaN()} {
		_, err := build(func(x graph.Value) graph.Value { return ops.Dropout(x, rate) }, f32(3))
		assert.ErrorIs(t, err, graph.ErrInvalid, "%v", rate)
	}
}
