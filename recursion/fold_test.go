package recursion_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// The shorter list must not decide how much of the longer one is folded.
func TestFoldRefusesListsOfDifferentLengths(t *testing.T) {
	type pair struct{ A, B graph.Value }
	var f *graph.Graph
	list := graph.F32(graph.Any)
	p := build(t, func(m *graph.Module) {
		f = recursion.Declare(m, "dot", pair{list, list}, graph.F32()).Define(func(in pair) graph.Value {
			return recursion.Fold(in, m.Float(0), func(acc graph.Value, x pair) graph.Value {
				return ops.Add(acc, ops.Mul(x.A, x.B))
			})
		}).Graph()
	})
	floats := func(x ...float32) exec.Array { return exec.Array{Shape: []int{len(x)}, F: x} }
	for _, reference := range []bool{false, true} {
		s, err := exec.New(p, exec.Options{Reference: reference})
		require.NoError(t, err)
		r, err := s.Run(context.Background(), f, [][]exec.Array{{floats(1, 2), floats(3, 4)}, {floats(), floats()}})
		require.NoError(t, err)
		assert.Equal(t, []float32{11}, r.Outputs[0][0].F)
		assert.Equal(t, []float32{0}, r.Outputs[1][0].F)
		for _, in := range [][]exec.Array{{floats(1, 2), floats(3)}, {floats(1), floats(2, 3)}, {floats(), floats(1)}} {
			_, err = s.Run(context.Background(), f, [][]exec.Array{in})
			assert.ErrorIs(t, err, ops.ErrLength)
		}
		require.NoError(t, s.Close())
	}
}
