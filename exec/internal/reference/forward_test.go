package reference_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

type selfOf = *recursion.SubGraph[graph.Value, graph.Value]

func TestIfRunsOneBranch(t *testing.T) {
	// The branch that is not taken would divide by zero.
	g := function(t, graph.I32(), graph.I32(), func(_ selfOf, n graph.Value) graph.Value {
		m := n.Module()
		return recursion.If(ops.Equal(n, m.Int(0)),
			func() graph.Value { return m.Int(-1) },
			func() graph.Value { return ops.Div(m.Int(100), n) })
	})
	sameTensor(t, integer(-1), run(t, g, integer(0)).Results[0])
	sameTensor(t, integer(33), run(t, g, integer(3)).Results[0])
}

func TestSwitchSelectsByNumber(t *testing.T) {
	g := function(t, graph.I32(), graph.I32(), func(_ selfOf, n graph.Value) graph.Value {
		m := n.Module()
		return recursion.Switch(n,
			func() graph.Value { return m.Int(10) },
			func() graph.Value { return ops.Add(n, m.Int(20)) },
			func() graph.Value { return m.Int(30) })
	})
	for n, want := range []int32{10, 21, 30} {
		r := run(t, g, integer(int32(n)))
		sameTensor(t, integer(want), r.Results[0])
		assert.Equal(t, 1, r.Calls, "choosing a branch is no call")
		assert.Equal(t, 1, r.Depth)
	}
	for _, n := range []int32{-1, 3} {
		err := fail(t, reference.Options{}, reference.Request{Graph: g, Inputs: []*ops.Tensor{integer(n)}})
		assert.ErrorIs(t, err, ops.ErrIndex)
	}
}

func TestMapKeepsOrderAndSharesCaptures(t *testing.T) {
	type in struct{ Xs, Ys, Scale graph.Value }
	g := function(t, in{graph.F32(graph.Any, 2), graph.I32(graph.Any), graph.F32()}, [2]graph.Value{graph.F32(graph.Any, 2), graph.I32(graph.Any)},
		func(_ *recursion.SubGraph[in, [2]graph.Value], in in) [2]graph.Value {
			type pair struct{ X, Y graph.Value }
			return recursion.Map(pair{in.Xs, in.Ys}, func(p pair) [2]graph.Value {
				return [2]graph.Value{ops.Mul(p.X, in.Scale), ops.Neg(p.Y)}
			})
		})
	r := run(t, g, floats([]int{3, 2}, 1, 2, 3, 4, 5, 6), ints(7, 8, 9), scalar(10))
	sameTensor(t, floats([]int{3, 2}, 10, 20, 30, 40, 50, 60), r.Results[0])
	sameTensor(t, ints(-7, -8, -9), r.Results[1])
	assert.Equal(t, 4, r.Calls)
	assert.Equal(t, 2, r.Depth)

	r = run(t, g, floats([]int{0, 2}), ints(), scalar(10))
	assert.Equal(t, graph.Shape{0, 2}, r.Results[0].Shape)
	assert.Equal(t, graph.Shape{0}, r.Results[1].Shape)

	err := fail(t, reference.Options{}, reference.Request{Graph: g, Inputs: []*ops.Tensor{floats([]int{1, 2}, 1, 2), ints(7, 8), scalar(1)}})
	assert.ErrorIs(t, err, ops.ErrLength)
	assert.ErrorContains(t, err, "list 0 has 1 elements, list 1 has 2")
}

func TestFoldGoesFromFirstToLast(t *testing.T) {
	g := function(t, graph.I32(graph.Any), graph.I32(), func(_ selfOf, xs graph.Value) graph.Value {
		m := xs.Module()
		return recursion.Fold(xs, m.Int(0), func(acc, x graph.Value) graph.Value {
			return ops.Add(ops.Mul(acc, m.Int(10)), x)
		})
	})
	sameTensor(t, integer(314), run(t, g, ints(3, 1, 4)).Results[0])
	sameTensor(t, integer(0), run(t, g, ints()).Results[0])
}

func TestLoopStopsBeforeTheFirstFailure(t *testing.T) {
	type state struct{ N, Steps graph.Value }
	g := function(t, graph.I32(), state{graph.I32(), graph.I32()}, func(_ *recursion.SubGraph[graph.Value, state], n graph.Value) state {
		m := n.Module()
		return recursion.Loop(state{n, m.Int(0)},
			func(s state) graph.Value { return ops.Greater(s.N, m.Int(1)) },
			func(s state) state { return state{ops.Div(s.N, m.Int(2)), ops.Add(s.Steps, m.Int(1))} })
	})
	r := run(t, g, integer(1000))
	sameTensor(t, integer(1), r.Results[0])
	sameTensor(t, integer(9), r.Results[1])
	assert.Equal(t, 11, r.Depth, "the function, the loop and nine iterations")
	sameTensor(t, integer(0), run(t, g, integer(0)).Results[1])
}

func TestCapturesThroughMutualRecursion(t *testing.T) {
	// even and odd walk down from n and add up step, which both capture.
	type in struct{ N, Step graph.Value }
	g := function(t, in{graph.I32(), graph.I32()}, graph.I32(), func(_ *recursion.SubGraph[in, graph.Value], x in) graph.Value {
		m := x.N.Module()
		even := recursion.Declare(m, "even", graph.I32(), graph.I32())
		odd := recursion.Declare(m, "odd", graph.I32(), graph.I32())
		down := func(other *recursion.SubGraph[graph.Value, graph.Value], step graph.Value) func(graph.Value) graph.Value {
			return func(n graph.Value) graph.Value {
				return recursion.If(ops.Equal(n, m.Int(0)),
					func() graph.Value { return m.Int(0) },
					func() graph.Value { return ops.Add(step, other.Invoke(ops.Sub(n, m.Int(1)))) })
			}
		}
		even.Define(down(odd, x.Step))
		odd.Define(down(even, ops.Neg(x.Step)))
		return even.Invoke(x.N)
	})
	sameTensor(t, integer(7), run(t, g, integer(5), integer(7)).Results[0])
	sameTensor(t, integer(0), run(t, g, integer(6), integer(7)).Results[0])
}

func TestTablesAreSorted(t *testing.T) {
	g := function(t, graph.I32(graph.Any), [0]graph.Value{}, func(_ *recursion.SubGraph[graph.Value, [0]graph.Value], xs graph.Value) [0]graph.Value {
		m := xs.Module()
		return recursion.Map(xs, func(x graph.Value) [0]graph.Value {
			recursion.Collect("halves", ops.Div(x, m.Int(2)), ops.Cast(ops.Neg(x), graph.Float32))
			recursion.Loss(ops.Cast(x, graph.Float32))
			return [0]graph.Value{}
		})
	})
	r := run(t, g, ints(5, 2, 4, 3))
	require.Len(t, r.Tables, 1)
	rows := r.Tables["halves"]
	require.Len(t, rows, 4)
	for i, want := range []reference.Row{{1, scalar(-3)}, {1, scalar(-2)}, {2, scalar(-5)}, {2, scalar(-4)}} {
		assert.Equal(t, want.Key, rows[i].Key)
		sameTensor(t, want.Value, rows[i].Value)
	}
	assert.Equal(t, 14.0, r.Loss)
}

func TestFloat32RoundsAfterEveryOperator(t *testing.T) {
	g := function(t, graph.F32(), graph.F32(), func(_ selfOf, x graph.Value) graph.Value {
		m := x.Module()
		return ops.Sub(ops.Add(x, m.Float(1)), m.Float(1))
	})
	tiny := 1.0 / (1 << 30)
	in := []*ops.Tensor{scalar(tiny)}
	for _, c := range []struct {
		float32 bool
		want    float64
	}{{false, tiny}, {true, 0}} {
		r, err := reference.Run(context.Background(), reference.Options{Float32: c.float32}, reference.Request{Graph: g, Inputs: in})
		require.NoError(t, err)
		assert.Equal(t, c.want, r.Results[0].F[0])
	}
	assert.Equal(t, tiny, in[0].F[0], "inputs are not changed")
}
