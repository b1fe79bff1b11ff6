package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// spanning draws the bounds of a span of the first list.
func spanning(c optest.Case) optest.Case {
	c.IntRange = func(i int, lens []int) (lo, hi int) {
		half := lens[0] / 2
		if i == 1 {
			return 0, half + 1
		}
		return half, lens[0] + 1
	}
	return c
}

var spanCases = []optest.Case{
	spanning(caseOf("span", three(ops.Span), f32(anyLen, 3), i32(), i32())),
	spanning(lengths(caseOf("span", three(ops.Span), f32(anyLen), i32(), i32()), []int{5}, []int{0}, []int{2})),
	spanning(noGradCase(lengths(caseOf("span", three(ops.Span), boolean(anyLen), i32(), i32()), []int{5}, []int{2}))),
}

func TestSpanValues(t *testing.T) {
	out, err := evalAs(three(ops.Span), types(f32(anyLen, 1), i32(), i32()), optest.F(optest.Dims(4, 1), 1, 2, 3, 4), optest.I(nil, 1), optest.I(nil, 3))
	require.NoError(t, err)
	assert.Equal(t, optest.F(optest.Dims(2, 1), 2, 3), out)
}

func TestSpanOutOfRange(t *testing.T) {
	frame := func(from, to int32) []*ops.Tensor {
		return []*ops.Tensor{optest.F(optest.Dims(2), 1, 2), optest.I(nil, from), optest.I(nil, to)}
	}
	for _, bad := range [][2]int32{{-1, 1}, {0, 3}, {2, 1}, {1, -1}} {
		kernelError(t, registered(t, "span"), ops.ErrIndex, types(f32(anyLen), i32(), i32()), frame(0, 2), frame(2, 2), frame(bad[0], bad[1]))
	}
}

func TestSpanMistakes(t *testing.T) {
	testMistakes(t, three(ops.Span),
		mistake{types(f32(3), i32(), i32()), "span: shape error: x f32[3]: want a list", graph.ErrShape},
		mistake{types(f32(anyLen), f32(), i32()), "from f32: want i32", graph.ErrDType},
		mistake{types(f32(anyLen), i32(), i32(1)), "to i32[1]: want a scalar", graph.ErrShape},
	)
}
