package reference_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

func TestGradientThroughRecursion(t *testing.T) {
	// power(x, n) = x * power(x, n-1), tanh at the bottom: x is used at every depth.
	type in struct{ X, N graph.Value }
	g := function(t, in{graph.F32(3), graph.I32()}, graph.F32(3), func(self *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		m := v.X.Module()
		return recursion.If(ops.Equal(v.N, m.Int(0)),
			func() graph.Value { return ops.Tanh(v.X) },
			func() graph.Value { return ops.Mul(v.X, self.Invoke(in{v.X, ops.Sub(v.N, m.Int(1))})) })
	})
	for _, n := range []int32{0, 1, 5} {
		checkGradients(t, reference.Request{Graph: g,
			Inputs:     []*ops.Tensor{floats([]int{3}, 0.3, -0.7, 1.1), integer(n)},
			Cotangents: []*ops.Tensor{floats([]int{3}, 1, -2, 0.5)}})
	}
}

func TestGradientOfVariablesAndLosses(t *testing.T) {
	// Losses arise in some frames only, in a branch that has no results.
	var w, frozen graph.Value
	g := build(t, func(m *graph.Module) {
		w = m.Var("w", graph.F32(2), graph.Zeros())
		frozen = m.Var("frozen", graph.F32(2), graph.Zeros())
		m.Freeze(frozen)
		type in struct{ X, N graph.Value }
		f := recursion.Declare(m, "main", in{graph.F32(2), graph.I32()}, graph.F32(2))
		f.Define(func(v in) graph.Value {
			recursion.If(ops.Equal(ops.Mod(v.N, m.Int(2)), m.Int(1)), func() [0]graph.Value {
				recursion.Loss(ops.Sum(ops.Mul(v.X, w)))
				return [0]graph.Value{}
			}, func() [0]graph.Value { return [0]graph.Value{} })
			return recursion.If(ops.Equal(v.N, m.Int(0)),
				func() graph.Value { return w },
				func() graph.Value {
					x := ops.Tanh(ops.Add(ops.Mul(v.X, w), frozen))
					return ops.Mul(f.Invoke(in{x, ops.Sub(v.N, m.Int(1))}), frozen)
				})
		})
	})
	r := reference.Request{Graph: g,
		Inputs: []*ops.Tensor{floats([]int{2}, 0.5, -1), integer(5)},
		Vars: map[*graph.Variable]*ops.Tensor{
			w.Variable():      floats([]int{2}, 0.8, 1.2),
			frozen.Variable(): floats([]int{2}, -0.4, 0.9),
		}}
	checkGradients(t, r) // the losses alone
	r.Cotangents = []*ops.Tensor{floats([]int{2}, 3, -1)}
	checkGradients(t, r)
}

func TestGradientOfMap(t *testing.T) {
	// Elements, a captured vector and a whole captured list reach the body.
	type in struct{ Xs, Y graph.Value }
	g := function(t, in{graph.F32(graph.Any, 2), graph.F32(2)}, graph.F32(graph.Any), func(_ *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		m := v.Y.Module()
		return recursion.Map(v.Xs, func(x graph.Value) graph.Value {
			first := ops.At(v.Xs, m.Int(0))
			return ops.Sum(ops.Mul(ops.Tanh(ops.Add(x, v.Y)), first))
		})
	})
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 4 {
		r := checkGradients(t, reference.Request{Graph: g,
			Inputs:     []*ops.Tensor{random(rng, n, 2), random(rng, 2)},
			Cotangents: []*ops.Tensor{random(rng, n)}})
		assert.Equal(t, graph.Shape{n, 2}, r.InputGrads[0].Shape)
	}
}

func TestGradientOfFold(t *testing.T) {
	type in struct{ Xs, W graph.Value }
	g := function(t, in{graph.F32(graph.Any, 2), graph.F32(2)}, graph.F32(2), func(_ *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		return recursion.Fold(v.Xs, v.W, func(acc, x graph.Value) graph.Value {
			return ops.Tanh(ops.Add(ops.Mul(acc, v.W), x))
		})
	})
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 6} {
		checkGradients(t, reference.Request{Graph: g,
			Inputs:     []*ops.Tensor{random(rng, n, 2), random(rng, 2)},
			Cotangents: []*ops.Tensor{random(rng, 2)}})
	}
}

func TestGradientOfStructureChosenByValues(t *testing.T) {
	// Whether a frame calls itself twice depends on what was computed. The points
	// are far from those where the comparison changes.
	type in struct{ X, Depth graph.Value }
	g := function(t, in{graph.F32(), graph.I32()}, graph.F32(), func(self *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		m := v.X.Module()
		grow := ops.And(ops.Greater(v.X, m.Float(0)), ops.Less(v.Depth, m.Int(5)))
		return recursion.If(grow, func() graph.Value {
			next := ops.Add(v.Depth, m.Int(1))
			l := self.Invoke(in{ops.Sub(v.X, m.Float(0.3)), next})
			r := self.Invoke(in{ops.Mul(v.X, ops.Tanh(v.X)), next})
			return ops.Add(l, ops.Mul(r, v.X))
		}, func() graph.Value { return ops.Mul(v.X, v.X) })
	})
	calls := map[int]bool{}
	for _, x := range []float64{-0.5, 0.2, 0.7, 1.4} {
		r := checkGradients(t, reference.Request{Graph: g,
			Inputs:     []*ops.Tensor{scalar(x), integer(0)},
			Cotangents: []*ops.Tensor{scalar(1.5)}})
		calls[r.Calls] = true
	}
	assert.Len(t, calls, 4, "the points give different structures")
}

func TestUnusedResultsAndInputsHaveZeroGradient(t *testing.T) {
	type pair struct{ A, B graph.Value }
	g := function(t, pair{graph.F32(2), graph.F32(graph.Any)}, pair{graph.F32(2), graph.F32(graph.Any)}, func(_ *recursion.SubGraph[pair, pair], p pair) pair {
		return pair{ops.Tanh(p.A), ops.Tanh(p.B)}
	})
	r, err := reference.Run(context.Background(), reference.Options{}, reference.Request{Graph: g, Grad: true,
		Inputs:     []*ops.Tensor{floats([]int{2}, 1, 2), floats([]int{3}, 1, 2, 3)},
		Cotangents: []*ops.Tensor{floats([]int{2}, 1, 1), nil}})
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 0, 0}, r.InputGrads[1].F)
	assert.NotZero(t, r.InputGrads[0].F[0])
}

func TestArgumentUsedTwiceAccumulates(t *testing.T) {
	// main(x) = pair(x, x); the callee multiplies its two arguments.
	g := build(t, func(m *graph.Module) {
		product := recursion.Declare(m, "product", [2]graph.Value{graph.F32(), graph.F32()}, graph.F32())
		product.Define(func(v [2]graph.Value) graph.Value { return ops.Mul(v[0], v[1]) })
		f := recursion.Declare(m, "main", graph.F32(), [2]graph.Value{graph.F32(), graph.F32()})
		f.Define(func(x graph.Value) [2]graph.Value {
			y := product.Invoke([2]graph.Value{x, x})
			return [2]graph.Value{y, y}
		})
	})
	r := checkGradients(t, reference.Request{Graph: g, Inputs: []*ops.Tensor{scalar(3)}, Cotangents: []*ops.Tensor{scalar(1), scalar(10)}})
	assert.Equal(t, 66.0, r.InputGrads[0].F[0])
}
