package exec

import (
	"context"
	"slices"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/stretchr/testify/require"
)

type listLoop struct{ Xs, Left graph.Value }

// listMakers replace a list by one that is not shorter: the lists of a run pile up.
var listMakers = map[string]func(l listLoop) graph.Value{
	"range": func(l listLoop) graph.Value { return ops.Range(ops.Len(l.Xs)) },
	"join":  func(l listLoop) graph.Value { return ops.Join(l.Xs, ops.List(l.Left)) },
	"list": func(l listLoop) graph.Value {
		return ops.List(slices.Repeat([]graph.Value{l.Left}, 20)...)
	},
	"span": func(l listLoop) graph.Value { return ops.Span(l.Xs, ops.Sub(l.Left, l.Left), ops.Len(l.Xs)) },
	"at":   func(l listLoop) graph.Value { return ops.At(l.Xs, ops.Range(ops.Len(l.Xs))) },
	"map": func(l listLoop) graph.Value {
		return recursion.Map(l.Xs, func(x graph.Value) graph.Value { return ops.Maximum(x, l.Left) })
	},
	"elementwise": func(l listLoop) graph.Value { return ops.Maximum(l.Xs, l.Left) },
}

func listProgram(t *testing.T, next func(listLoop) graph.Value) (*graph.Program, *graph.Graph) {
	return function(t, listLoop{graph.I32(graph.Any), graph.I32()}, graph.I32(), func(m *graph.Module, _ *recursion.SubGraph[listLoop, graph.Value], in listLoop) graph.Value {
		end := recursion.Loop(in, func(l listLoop) graph.Value {
			return ops.Less(m.Int(0), l.Left)
		}, func(l listLoop) listLoop {
			return listLoop{next(l), ops.Sub(l.Left, m.Int(1))}
		})
		return ops.Len(end.Xs)
	})
}

// Whoever makes a list asks for its memory before taking it, and the run that gets none
// ends with the reason. Everything that the limit counts is asked for: there is no slack.
func TestListsKeepTheMemoryLimit(t *testing.T) {
	const limit = 2 << 20
	xs := integers(make([]int32, 1000)...)
	for name, next := range listMakers {
		t.Run(name, func(t *testing.T) {
			p, g := listProgram(t, next)
			for _, o := range []Options{{Workers: 1, Memory: limit}, {Workers: 1, Memory: limit, NoSharing: true, Batching: BatchOff}} {
				s := session(t, p, o)
				for range 2 {
					_, err := s.Run(context.Background(), g, [][]Array{{xs, integer(100_000)}})
					require.ErrorIs(t, err, ErrMemory)
					_, err = s.Gradients(context.Background(), g, [][]Array{{xs, integer(100_000)}}, GradOptions{})
					require.ErrorIs(t, err, ErrMemory)
				}
				require.Equal(t, int32(20), result(t, s, g, integers(make([]int32, 20)...), integer(0)).I[0])
				require.LessOrEqual(t, s.Stats().PeakBytes, int64(limit))
				require.NoError(t, s.Close())
			}
		})
	}
}

// One list may be larger than all the memory.
func TestListThatCannotBe(t *testing.T) {
	p, f := buildOne(t, graph.I32(), graph.I32(), func(n graph.Value) graph.Value { return ops.Sum(ops.Range(n)) })
	s := session(t, p, Options{Workers: 1, Memory: 1 << 20})
	r, err := s.Run(context.Background(), f.Graph(), [][]Array{{integer(1 << 30)}})
	require.ErrorIs(t, err, ErrMemory)
	require.Contains(t, err.Error(), "range (lists_test.go:")
	require.Nil(t, r.Outputs[0])
	require.LessOrEqual(t, s.Stats().PeakBytes, int64(1<<20))
	require.Equal(t, []int32{6}, result(t, s, f.Graph(), integer(4)).I)
}

// A list of an input counts as others do.
func TestInputListBeyondTheMemoryLimit(t *testing.T) {
	p, f := buildOne(t, graph.I32(graph.Any), graph.I32(), func(xs graph.Value) graph.Value { return ops.Len(xs) })
	s := session(t, p, Options{Workers: 1, Memory: 1 << 20})
	_, err := s.Run(context.Background(), f.Graph(), [][]Array{{integers(make([]int32, 1<<19)...)}})
	require.ErrorIs(t, err, ErrMemory)
	require.Equal(t, []int32{3}, result(t, s, f.Graph(), integers(1, 2, 3)).I)
}
