package reference_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/callkey"
	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// The masks are functions of the seed and of the keys of the frames.
func TestDropoutFollowsSeedAndKey(t *testing.T) {
	const n = 64
	type in struct{ X, Steps graph.Value }
	var drop *graph.Node
	g := function(t, in{graph.F32(n), graph.I32()}, graph.F32(n), func(self *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		m := v.X.Module()
		y := ops.Dropout(v.X, 0.5)
		drop = y.Node()
		return recursion.If(ops.Equal(v.Steps, m.Int(0)), func() graph.Value { return y }, func() graph.Value {
			return ops.Add(y, self.Invoke(in{v.X, ops.Sub(v.Steps, m.Int(1))}))
		})
	})
	ones := ops.NewTensor(graph.Float32, n)
	for i := range ones.F {
		ones.F[i] = 1
	}
	request := reference.Request{Graph: g, Inputs: []*ops.Tensor{ones, integer(1)}, Key: 5, Grad: true, Cotangents: []*ops.Tensor{ones}}
	r, err := reference.Run(context.Background(), reference.Options{Seed: 9}, request)
	require.NoError(t, err)

	op := drop.Op.(ops.DropoutOp)
	inner := callkey.Child(callkey.Child(5, 0, 0), 0, 0) // the branch, then the call in it
	outer, err := op.EvalKeyed([]*ops.Tensor{ones}, 9, 5)
	require.NoError(t, err)
	want, err := op.EvalKeyed([]*ops.Tensor{ones}, 9, inner)
	require.NoError(t, err)
	assert.NotEqual(t, outer.F, want.F)
	for i := range want.F {
		want.F[i] += outer.F[i]
	}
	assert.Equal(t, want.F, r.Results[0].F)
	assert.Equal(t, want.F, r.InputGrads[0].F, "the gradient passes the same masks")

	r, err = reference.Run(context.Background(), reference.Options{}, request)
	require.NoError(t, err)
	assert.Equal(t, 2.0, r.Results[0].F[0], "without a seed nothing is dropped")
}

func TestDropoutOfLists(t *testing.T) {
	g := function(t, graph.F32(graph.Any, 8), graph.F32(graph.Any, 8), func(_ selfOf, xs graph.Value) graph.Value {
		return ops.Dropout(xs, 0.5)
	})
	xs := ops.NewTensor(graph.Float32, 5, 8)
	for i := range xs.F {
		xs.F[i] = 1
	}
	r, err := reference.Run(context.Background(), reference.Options{Seed: 1}, reference.Request{Graph: g, Inputs: []*ops.Tensor{xs}})
	require.NoError(t, err)
	rows := map[string]bool{}
	for i := range 5 {
		rows[floats([]int{8}, r.Results[0].F[i*8:(i+1)*8]...).String()] = true
	}
	assert.Greater(t, len(rows), 1, "elements have masks of their own")
	run(t, g, ops.NewTensor(graph.Float32, 0, 8))
}
