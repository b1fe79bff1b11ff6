package exec

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/tensor"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

func TestBindTypes(t *testing.T) {
	type in struct{ I, B, F, V, M, L, LV graph.Value }
	type out struct{ I, B, F, V, M, L, LV graph.Value }
	m := graph.NewModule("bind")
	n := graph.Any
	f := recursion.Declare(m, "f", in{graph.I32(), graph.Bool(), graph.F32(), graph.F32(3), graph.F32(2, 2), graph.I32(n), graph.F32(n, 2)},
		out{graph.I32(), graph.Bool(), graph.F32(), graph.F32(3), graph.F32(2, 2), graph.I32(n), graph.F32(n, 2)})
	f.Define(func(x in) out {
		return out{ops.Add(x.I, m.Int(1)), ops.Not(x.B), ops.Neg(x.F), ops.Mul(x.V, x.V), ops.Add(x.M, x.M), ops.Add(x.L, m.Int(1)), ops.Neg(x.LV)}
	})
	p, err := m.Build()
	require.NoError(t, err)
	s, err := New(p, Options{})
	require.NoError(t, err)
	type host struct {
		I  int
		B  bool
		F  float64
		V  []float32
		M  *tensor.Dense
		L  []int
		LV [][]float32
	}
	run, err := Bind[host, host](s, f)
	require.NoError(t, err)
	got, err := run(context.Background(), host{4, true, 1.5, []float32{1, 2, 3}, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float32{1, 2, 3, 4})), []int{7, 8}, [][]float32{{1, 2}, {3, 4}, {5, 6}}})
	require.NoError(t, err)
	require.Equal(t, 5, got.I)
	require.False(t, got.B)
	require.Equal(t, -1.5, got.F)
	require.Equal(t, []float32{1, 4, 9}, got.V)
	require.Equal(t, []float32{2, 4, 6, 8}, got.M.Data())
	require.Equal(t, []int{8, 9}, got.L)
	require.Equal(t, [][]float32{{-1, -2}, {-3, -4}, {-5, -6}}, got.LV)

	_, err = run(context.Background(), host{V: []float32{1}})
	require.ErrorIs(t, err, ErrInput)
	_, err = Bind[struct{ I string }, host](s, f)
	require.ErrorIs(t, err, ErrInput)
	require.ErrorContains(t, err, "no field B")
	require.ErrorContains(t, err, "string cannot hold i32")
}
