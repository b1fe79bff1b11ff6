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

var maxCases = slices.Concat(
	with(reductionCases("max", ops.MaxOver), notEmpty),
	with(axisCases("argmax", ops.ArgMax), func(c *optest.Case) {
		notEmpty(c)
		c.NoGrad = true
	}),
	with([]optest.Case{
		unaryCase("max", maxOver(0), i32(anyLen, 3)),
		unaryCase("max", maxOver(1), i32(2, 3)),
		unaryCase("sum", sumOver(0), i32(anyLen, 3)),
		unaryCase("sum", sumOver(1), i32(2, 3)),
	}, func(c *optest.Case) {
		notEmpty(c)
		signedInts(c)
	}),
)

func maxOver(axes ...int) func(x graph.Value) graph.Value {
	return func(x graph.Value) graph.Value { return ops.MaxOver(x, axes...) }
}

func sumOver(axes ...int) func(x graph.Value) graph.Value {
	return func(x graph.Value) graph.Value { return ops.Sum(x, axes...) }
}

func notEmpty(c *optest.Case) { c.Lengths = [][]int{{1}, {2}, {5}} }

func TestMaxOfNaN(t *testing.T) {
	x := optest.F(optest.Dims(4), 1, math.NaN(), 7, math.NaN())
	kernel, eval := runBoth(t, maxOver(), x)
	assertFloats(t, []float64{math.NaN()}, kernel.F, "kernel")
	assertFloats(t, []float64{math.NaN()}, eval.F, "Eval")
	kernel, eval = runBoth(t, func(x graph.Value) graph.Value { return ops.ArgMax(x, 0) }, x)
	assert.Equal(t, []int32{1}, kernel.I)
	assert.Equal(t, []int32{1}, eval.I)
}

func TestFirstOfEqualElements(t *testing.T) {
	x := optest.F(optest.Dims(4), 1, 7, 3, 7)
	kernel, eval := runBoth(t, func(x graph.Value) graph.Value { return ops.ArgMax(x, 0) }, x)
	assert.Equal(t, []int32{1}, kernel.I)
	assert.Equal(t, []int32{1}, eval.I)
}

func TestMaxOfNothing(t *testing.T) {
	empty := optest.F(optest.Dims(0, 2))
	for name, f := range map[string]func(x graph.Value) graph.Value{
		"max": maxOver(0), "argmax": func(x graph.Value) graph.Value { return ops.ArgMax(x, 0) },
	} {
		g, err := build(f, f32(anyLen, 2))
		require.NoError(t, err)
		n := g.Results[0].Node()
		op := n.Op.(ops.Op)
		_, err = op.Eval([]*ops.Tensor{empty})
		assert.ErrorIs(t, err, ops.ErrLength, name)

		b := &ops.Batch{N: 2, Seg: []int32{0, 1, 1}, Tmp: &ops.Scratch{}}
		b.In = []ops.Rows{{F: []float32{1, 2}, Stride: 2}}
		b.Out = ops.Rows{F: make([]float32, 4), I: make([]int32, 4), Stride: 2}
		err = op.Lower(n.InTypes(), n.Out[0]).Segments(b)
		assert.ErrorIs(t, err, ops.ErrLength, name)
		var row *ops.RowError
		if assert.ErrorAs(t, err, &row, name) {
			assert.Equal(t, 1, row.Row, name)
		}
	}
}
