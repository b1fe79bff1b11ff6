package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var matmulCases = []optest.Case{
	caseOf("matmul", two(ops.MatMul), f32(4), f32(4, 3)),
	caseOf("matmul", two(ops.MatMul), f32(1), f32(1, 1)),
	caseOf("matmul", two(ops.MatMul), f32(2, 4), f32(4, 3)),
	caseOf("matmul", two(ops.MatMul), f32(2, 3, 4), f32(2, 4, 5)),
	caseOf("matmul", two(ops.MatMul), f32(anyLen, 4), f32(4, 3)),
	caseOf("matmul", two(ops.MatMul), f32(anyLen, 2, 4), f32(4, 3)),
	caseOf("matmul", two(ops.MatMul), f32(4), f32(anyLen, 4, 3)),
	caseOf("matmul", two(ops.MatMul), f32(anyLen, 4), f32(anyLen, 4, 3)),
	caseOf("matmul", two(ops.MatMul), f32(anyLen, 2, 4), f32(anyLen, 4, 3)),
	caseOf("matmult", two(ops.MatMulT), f32(4), f32(3, 4)),
	caseOf("matmult", two(ops.MatMulT), f32(2, 4), f32(3, 4)),
	caseOf("matmult", two(ops.MatMulT), f32(2, 3, 4), f32(2, 5, 4)),
	caseOf("matmult", two(ops.MatMulT), f32(anyLen, 4), f32(3, 4)),
	caseOf("matmult", two(ops.MatMulT), f32(anyLen, 2, 4), f32(3, 4)),
	caseOf("matmult", two(ops.MatMulT), f32(4), f32(anyLen, 3, 4)),
	caseOf("matmult", two(ops.MatMulT), f32(anyLen, 4), f32(anyLen, 3, 4)),
	caseOf("matmult", two(ops.MatMulT), f32(anyLen, 2, 4), f32(anyLen, 3, 4)),
	caseOf("matvec", two(ops.MatVec), f32(3, 4), f32(4)),
	caseOf("matvec", two(ops.MatVec), f32(3, 4), f32(anyLen, 4)),
	caseOf("matmul a", product(true, false), f32(4, 2), f32(4, 3)),
	caseOf("matmul ab", product(true, true), f32(4, 2), f32(3, 4)),
	caseOf("matmul a", product(true, false), f32(2, 4, 3), f32(2, 4, 5)),
	caseOf("matmul ab", product(true, true), f32(2, 4, 3), f32(2, 5, 4)),
	caseOf("matmul a", product(true, false), f32(anyLen, 4, 2), f32(4, 3)),
	caseOf("matmul ab", product(true, true), f32(anyLen, 4, 2), f32(3, 4)),
	caseOf("matmul a", product(true, false), f32(anyLen, 4, 2), f32(anyLen, 4, 3)),
	caseOf("matmul ab", product(true, true), f32(anyLen, 4, 2), f32(anyLen, 3, 4)),
	caseOf("matmul a", product(true, false), f32(anyLen, 4), f32(anyLen, 3)),
}

func product(transA, transB bool) func([]graph.Value) graph.Value {
	return func(in []graph.Value) graph.Value {
		return graph.Apply(ops.MatMulOp{TransA: transA, TransB: transB}, in...)
	}
}

func TestMatMulValues(t *testing.T) {
	a := optest.F(optest.Dims(2, 3), 1, 2, 3, 4, 5, 6)
	b := optest.F(optest.Dims(3, 2), 1, -1, 0, 2, 1, 10)
	bt := optest.F(optest.Dims(2, 3), 1, 0, 1, -1, 2, 10)
	want := optest.F(optest.Dims(2, 2), 4, 33, 10, 66)
	assert.Equal(t, want, eval(t, two(ops.MatMul), a, b))
	assert.Equal(t, want, eval(t, two(ops.MatMulT), a, bt))
	assert.Equal(t, want, eval(t, product(true, false), optest.F(optest.Dims(3, 2), 1, 4, 2, 5, 3, 6), b))
	assert.Equal(t, optest.F(optest.Dims(2), 4, 33), eval(t, two(ops.MatMul), optest.F(optest.Dims(3), 1, 2, 3), b))
	assert.Equal(t, optest.F(optest.Dims(2), 4, 33), eval(t, two(ops.MatVec), bt, optest.F(optest.Dims(3), 1, 2, 3)))
	assert.Equal(t, optest.F(optest.Dims(2, 1, 1), 11, 53), eval(t, two(ops.MatMul),
		optest.F(optest.Dims(2, 1, 2), 1, 2, 3, 4), optest.F(optest.Dims(2, 2, 1), 3, 4, 7, 8)))
}

func TestMatMulOfListsSumsOuterProducts(t *testing.T) {
	list := types(f32(anyLen, 2), f32(anyLen, 3))
	x, y := optest.F(optest.Dims(2, 2), 1, 2, 3, 4), optest.F(optest.Dims(2, 3), 1, 0, -1, 2, 2, 2)
	out, err := evalAs(product(true, false), list, x, y)
	require.NoError(t, err)
	assert.Equal(t, optest.F(optest.Dims(2, 3), 7, 6, 5, 10, 8, 6), out)

	_, err = evalAs(product(true, false), list, x, optest.F(optest.Dims(1, 3), 1, 2, 3))
	assert.ErrorIs(t, err, ops.ErrLength)
	_, err = evalAs(two(ops.MatMul), types(f32(anyLen, 2), f32(anyLen, 2, 1)), x, optest.F(optest.Dims(1, 2, 1), 1, 2))
	assert.ErrorIs(t, err, ops.ErrLength)
}

func TestMatMulMistakes(t *testing.T) {
	testMistakes(t, two(ops.MatMul),
		mistake{types(f32(3), f32(4, 5)), "matmul: shape error: a f32[3], b f32[4 5]: want a [.. 4]", graph.ErrShape},
		mistake{types(f32(2, 3), f32(4, 5)), "want a [.. 4]", graph.ErrShape},
		mistake{types(f32(2, 3, 4), f32(3, 4, 5)), "a f32[2 3 4], b f32[3 4 5]: 2 products and 3", graph.ErrShape},
		mistake{types(f32(), f32(4, 5)), "a f32, b f32[4 5]: want a [d]", graph.ErrShape},
		mistake{types(f32(4), f32(4)), "a f32[4], b f32[4]: want", graph.ErrShape},
		mistake{types(f32(2, 4), f32(anyLen, 4, 5)), "a f32[2 4], b f32[? 4 5]: want", graph.ErrShape},
		mistake{types(f32(anyLen), f32(4, 5)), "a f32[?], b f32[4 5]: want", graph.ErrShape},
		mistake{types(f32(anyLen, 4), f32(anyLen, 5)), "a f32[? 4], b f32[? 5]: want", graph.ErrShape},
		mistake{types(i32(4), f32(4, 5)), "input 0 is i32[4]", graph.ErrDType},
	)
	testMistakes(t, product(true, false),
		mistake{types(f32(4), f32(4, 5)), "a vector cannot be transposed", graph.ErrShape},
		mistake{types(f32(3, 2), f32(4, 5)), "want a [.. 4 2]", graph.ErrShape},
	)
	testMistakes(t, two(ops.MatVec), mistake{types(f32(5, 4), f32(3)), "matvec: shape error: w f32[5 4], x f32[3]: want f32 w [h d], x [d] or [? d]", graph.ErrShape})
}
