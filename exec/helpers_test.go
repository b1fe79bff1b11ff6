package exec

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// function builds a module around one recursive subgraph called main.
func function[In, Out any](t testing.TB, in In, out Out, body func(m *graph.Module, self *recursion.SubGraph[In, Out], in In) Out) (*graph.Program, *graph.Graph) {
	t.Helper()
	m := graph.NewModule(t.Name())
	f := recursion.Declare(m, "main", in, out)
	f.Define(func(in In) Out { return body(m, f, in) })
	p, err := m.Build()
	require.NoError(t, err)
	return p, f.Graph()
}

// deviceOfTest makes the device of sessions that ask for none; nil for the processor.
var deviceOfTest func() *host.Device

func session(t testing.TB, p *graph.Program, o Options) *Session {
	t.Helper()
	if deviceOfTest != nil && o.Device == nil && !o.Reference && o.Profile == nil {
		d := deviceOfTest()
		o.Device = d
		s, err := New(p, o)
		require.NoError(t, err)
		t.Cleanup(func() {
			if err := s.Close(); !errors.Is(err, ErrClosed) {
				require.NoError(t, err)
			}
			require.Zero(t, d.Held())
		})
		return s
	}
	s, err := New(p, o)
	require.NoError(t, err)
	return s
}

func integer(i int32) Array { return Array{I: []int32{i}} }

func integers(i ...int32) Array { return Array{Shape: []int{len(i)}, I: append([]int32{}, i...)} }

func number(f float32) Array { return Array{F: []float32{f}} }

func numbers(f ...float32) Array { return Array{Shape: []int{len(f)}, F: append([]float32{}, f...)} }

// runs repeats one input.
func runs(n int, in ...Array) [][]Array { return slices.Repeat([][]Array{in}, n) }

// result executes the graph for one input and returns its first result.
func result(t testing.TB, s *Session, g *graph.Graph, in ...Array) Array {
	t.Helper()
	r, err := s.Run(context.Background(), g, [][]Array{in})
	require.NoError(t, err)
	return r.Outputs[0][0]
}
