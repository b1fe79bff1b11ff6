package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// indexing draws indices for a first axis of n elements, or below the length of
// the first list when n is 0.
func indexing(c optest.Case, n int) optest.Case {
	c.IntRange = func(_ int, lens []int) (lo, hi int) {
		if n == 0 {
			return 0, lens[0]
		}
		return 0, n
	}
	return c
}

var atCases = []optest.Case{
	indexing(caseOf("at", two(ops.At), f32(5, 3), i32()), 5),
	indexing(caseOf("at", two(ops.At), f32(5), i32()), 5),
	indexing(caseOf("at", two(ops.At), f32(3, 2, 2), i32()), 3),
	indexing(caseOf("at", two(ops.At), f32(4, 3), i32(6)), 4),
	indexing(caseOf("at", two(ops.At), f32(4, 3), i32(2, 3)), 4),
	indexing(caseOf("at", two(ops.At), f32(4, 3), i32(anyLen)), 4),
	indexing(caseOf("at", two(ops.At), f32(4), i32(anyLen)), 4),
	indexing(caseOf("at", two(ops.At), f32(4, 3), i32(anyLen, 2)), 4),
	indexing(noGradCase(caseOf("at", two(ops.At), i32(4), i32())), 4),
	indexing(noGradCase(caseOf("at", two(ops.At), i32(4, 2), i32(anyLen))), 4),
	indexing(noGradCase(caseOf("at", two(ops.At), boolean(4), i32(3))), 4),
	// lists
	indexing(lengths(caseOf("at", two(ops.At), f32(anyLen, 3), i32()), []int{1}, []int{2}, []int{4}), 0),
	indexing(lengths(caseOf("at", two(ops.At), f32(anyLen), i32()), []int{1}, []int{4}), 0),
	indexing(lengths(caseOf("at", two(ops.At), f32(anyLen, 3), i32(2)), []int{1}, []int{4}), 0),
	indexing(lengths(caseOf("at", two(ops.At), f32(anyLen), i32(3)), []int{1}, []int{4}), 0),
	indexing(lengths(caseOf("at", two(ops.At), f32(anyLen, 3), i32(anyLen)), []int{1, 0}, []int{4, 2}, []int{2, 5}), 0),
	indexing(noGradCase(lengths(caseOf("at", two(ops.At), i32(anyLen), i32()), []int{1}, []int{4})), 1),
	indexing(noGradCase(lengths(caseOf("at", two(ops.At), i32(anyLen), i32(anyLen)), []int{3, 0}, []int{4, 2}, []int{5, 9})), 3),
	indexing(noGradCase(lengths(caseOf("at", two(ops.At), i32(anyLen, 2), i32(2)), []int{2}, []int{4})), 2),
	indexing(noGradCase(lengths(caseOf("at", two(ops.At), boolean(anyLen), i32()), []int{2}, []int{4})), 2),
}

func TestAtValues(t *testing.T) {
	x := optest.F(optest.Dims(3, 2), 1, 2, 3, 4, 5, 6)
	assert.Equal(t, optest.F(optest.Dims(2), 5, 6), eval(t, two(ops.At), x, optest.I(nil, 2)))
	assert.Equal(t, optest.F(optest.Dims(2, 2), 5, 6, 1, 2), eval(t, two(ops.At), x, optest.I(optest.Dims(2), 2, 0)))
	assert.Equal(t, optest.I(nil, 8), eval(t, two(ops.At), optest.I(optest.Dims(2), 7, 8), optest.I(nil, 1)))
}

func TestAtIndexOutOfRange(t *testing.T) {
	x := optest.F(optest.Dims(3, 1), 1, 2, 3)
	scalar, pair := func(i int32) *ops.Tensor { return optest.I(nil, i) }, func(i, j int32) *ops.Tensor { return optest.I(optest.Dims(2), i, j) }
	for _, bad := range []int32{-1, 3, 1 << 30, -1 << 31} {
		kernelError(t, ops.AtOp{}, ops.ErrIndex, types(f32(3, 1), i32()), []*ops.Tensor{x, scalar(2)}, []*ops.Tensor{x, scalar(bad)})
		kernelError(t, ops.AtOp{}, ops.ErrIndex, types(f32(3, 1), i32(2)), []*ops.Tensor{x, pair(0, 2)}, []*ops.Tensor{x, pair(1, bad)})
		kernelError(t, ops.AtOp{}, ops.ErrIndex, types(f32(anyLen, 1), i32()), []*ops.Tensor{x, scalar(2)}, []*ops.Tensor{x, scalar(bad)})
		kernelError(t, ops.AtOp{}, ops.ErrIndex, types(f32(anyLen, 1), i32(2)), []*ops.Tensor{x, pair(0, 2)}, []*ops.Tensor{x, pair(1, bad)})
		kernelError(t, ops.AtOp{}, ops.ErrIndex, types(f32(anyLen, 1), i32(anyLen)), []*ops.Tensor{x, pair(0, 2)}, []*ops.Tensor{x, pair(1, bad)})
	}
	kernelError(t, ops.AtOp{}, ops.ErrIndex, types(i32(anyLen), i32()), []*ops.Tensor{optest.I(optest.Dims(0)), scalar(0)})

	// In a look-up for every element of a list, the row is that of the element.
	_, err := optest.Kernel(ops.AtOp{}, types(f32(3, 1), i32(anyLen)), []*ops.Tensor{x, pair(0, 1)}, []*ops.Tensor{x, pair(0, 3)})
	var row *ops.RowError
	require.ErrorAs(t, err, &row)
	assert.Equal(t, 3, row.Row)
	assert.ErrorContains(t, err, "row 3: index out of range: index 3, 3 elements")
}

func TestAtMistakes(t *testing.T) {
	testMistakes(t, two(ops.At),
		mistake{types(f32(), i32()), "at: shape error: x f32 has no first axis", graph.ErrShape},
		mistake{types(f32(3), f32()), "at: element type error: i f32: want i32", graph.ErrDType},
		mistake{types(f32(anyLen, 3), i32(anyLen, 2)), "x f32[? 3], i i32[? 2]: want i i32, i32[k] or i32[?]", graph.ErrShape},
	)
}
