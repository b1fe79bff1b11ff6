package exec

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// A limit of less than a byte per worker is a limit.
func TestSmallMemoryLimit(t *testing.T) {
	p, g := fibProgram(t)
	for _, limit := range []int64{1, 7, 100} {
		s := session(t, p, Options{Workers: 8, Memory: limit})
		_, err := s.Run(context.Background(), g, [][]Array{scalar(10)})
		require.ErrorIs(t, err, ErrMemory, "limit %d", limit)
	}
}

// A context that is cancelled before a run ends it before it begins, in every mode.
func TestCancelledBefore(t *testing.T) {
	p, g := function(t, graph.F32(), graph.F32(), func(_ *graph.Module, _ *recursion.SubGraph[graph.Value, graph.Value], x graph.Value) graph.Value {
		recursion.Loss(x)
		return x
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, o := range []Options{{}, {Reference: true}} {
		s := session(t, p, o)
		_, err := s.Run(ctx, g, runs(2, number(1)))
		require.Equal(t, context.Canceled, err)
		_, err = s.Gradients(ctx, g, runs(2, number(1)), GradOptions{})
		require.Equal(t, context.Canceled, err)
	}
}
