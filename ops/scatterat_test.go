package ops_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// scatter scatters into something like a constant [n 2].
func scatter(n int) func(m *graph.Module, in []graph.Value) graph.Value {
	return func(m *graph.Module, in []graph.Value) graph.Value {
		return ops.ScatterAt(in[0], in[1], m.Full(1, n, 2))
	}
}

func scatterCase(ct, i graph.Type) optest.Case {
	c := caseOf("scatter_at 4", nil, ct, i)
	c.Build = scatter(4)
	return indexing(c, 4)
}

var scatterAtCases = []optest.Case{
	scatterCase(f32(2), i32()),
	scatterCase(f32(6, 2), i32(6)),
	scatterCase(f32(2, 3, 2), i32(2, 3)),
	scatterCase(f32(anyLen, 2), i32(anyLen)),
	scatterCase(f32(anyLen, 3, 2), i32(anyLen, 3)),
	indexing(lengths(caseOf("scatter_at", three(ops.ScatterAt), f32(3), i32(), f32(anyLen, 3)), []int{1}, []int{4}), 0),
	indexing(lengths(caseOf("scatter_at", three(ops.ScatterAt), f32(5, 3), i32(5), f32(anyLen, 3)), []int{1}, []int{4}), 0),
}

func TestScatterAtAddsDuplicates(t *testing.T) {
	ct := optest.F(optest.Dims(3, 2), 1, 2, 10, 20, 100, 200)
	i := optest.I(optest.Dims(3), 2, 0, 2)
	want := optest.F(optest.Dims(3, 2), 10, 20, 0, 0, 101, 202)
	assert.Equal(t, want, eval(t, three(ops.ScatterAt), ct, i, optest.F(optest.Dims(3, 2), 0, 0, 0, 0, 0, 0)))

	got, err := optest.Kernel(ops.ScatterAtOp{N: 3}, types(f32(anyLen, 2), i32(anyLen)), []*ops.Tensor{ct, i})
	assert.NoError(t, err)
	assert.Equal(t, []*ops.Tensor{want}, got)
	got, err = optest.Kernel(ops.ScatterAtOp{N: graph.Any}, types(f32(3, 2), i32(3), f32(anyLen, 2)), []*ops.Tensor{ct, i, want})
	assert.NoError(t, err)
	assert.Equal(t, []*ops.Tensor{want}, got)
}

func TestScatterAtIndexOutOfRange(t *testing.T) {
	ct, list := optest.F(optest.Dims(1), 1), optest.F(optest.Dims(2, 1), 5, 5)
	at := func(i int32) *ops.Tensor { return optest.I(nil, i) }
	for _, bad := range []int32{-1, 2, -1 << 31} {
		kernelError(t, ops.ScatterAtOp{N: 2}, ops.ErrIndex, types(f32(1), i32()), []*ops.Tensor{ct, at(1)}, []*ops.Tensor{ct, at(bad)})
		kernelError(t, ops.ScatterAtOp{N: graph.Any}, ops.ErrIndex, types(f32(1), i32(), f32(anyLen, 1)),
			[]*ops.Tensor{ct, at(1), list}, []*ops.Tensor{ct, at(bad), list})
		kernelError(t, ops.ScatterAtOp{N: 2}, ops.ErrIndex, types(f32(anyLen, 1), i32(anyLen)),
			[]*ops.Tensor{list, optest.I(optest.Dims(2), 0, 1)}, []*ops.Tensor{list, optest.I(optest.Dims(2), 0, bad)})
	}
}

func TestScatterAtMistakes(t *testing.T) {
	testMistakes(t, three(ops.ScatterAt),
		mistake{types(f32(3, 2), i32(2), f32(4, 2)), "scatter_at: shape error: ct f32[3 2], i i32[2]: want the extents of ct to begin", graph.ErrShape},
		mistake{types(f32(2), f32(), f32(4, 2)), "i f32: want i32", graph.ErrDType},
		mistake{types(i32(2), i32(), i32(4, 2)), "want f32", graph.ErrDType},
		mistake{types(f32(2), i32(), f32()), "like f32: want a list", graph.ErrShape},
		mistake{types(f32(2), i32(), f32(anyLen, 3)), "like f32[? 3]: want like f32[? 2]", graph.ErrShape},
	)
}
