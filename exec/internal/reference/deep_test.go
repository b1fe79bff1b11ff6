package reference_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// A Go stack that grew with the recursion would need gigabytes, or overflow.
func TestMillionCallsDeep(t *testing.T) {
	if testing.Short() {
		t.Skip("needs about 2 GB for the values of a million frames")
	}
	const n = 1_000_000
	type in struct{ X, N graph.Value }
	g := function(t, in{graph.F32(), graph.I32()}, graph.F32(), func(self *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		m := v.X.Module()
		return recursion.If(ops.Equal(v.N, m.Int(0)),
			func() graph.Value { return v.X },
			func() graph.Value {
				return ops.MulScalar(self.Invoke(in{v.X, ops.Sub(v.N, m.Int(1))}), 1-1e-6)
			})
	})
	r, err := reference.Run(context.Background(), reference.Options{}, reference.Request{Graph: g, Grad: true,
		Inputs:     []*ops.Tensor{scalar(1), integer(n)},
		Cotangents: []*ops.Tensor{scalar(2)}})
	require.NoError(t, err)
	assert.InDelta(t, 1/math.E, r.Results[0].F[0], 1e-6)
	assert.InDelta(t, 2/math.E, r.InputGrads[0].F[0], 1e-6)
	assert.Equal(t, n+1, r.Calls)
	assert.Equal(t, n+1, r.Depth)
}
