package exec

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// A stage may read the elements of a list that it computes in another order than that in
// which it computes them.
func TestElementsOfAListInAnotherOrderOnDevices(t *testing.T) {
	const n, d = 8, 1024 // more than the rows of one block
	type lists struct{ X, Order graph.Value }
	p, g := function(t, lists{graph.F32(graph.Any, d), graph.I32(graph.Any)}, graph.F32(graph.Any, d),
		func(_ *graph.Module, _ *recursion.SubGraph[lists, graph.Value], in lists) graph.Value {
			y := ops.MulScalar(in.X, 2)
			return ops.Add(y, ops.At(y, in.Order))
		})
	x := make([]float32, n*d)
	for i := range x {
		x[i] = float32(i)
	}
	order := []int32{7, 6, 5, 4, 3, 2, 1, 0}
	var want []float32
	for i := range n {
		for k := range d {
			want = append(want, 2*x[i*d+k]+2*x[int(order[i])*d+k])
		}
	}
	s := session(t, p, Options{Workers: 1, Device: host.New(host.Options{Poison: true, Check: true})})
	got := result(t, s, g, Array{Shape: []int{n, d}, F: slices.Clone(x)}, integers(order...))
	require.Equal(t, want, got.F)
	require.NoError(t, s.Close())
}

// Products side by side that go on with a sum do not add its biases again.
func TestBiasesOfProductsSideBySideOnDevices(t *testing.T) {
	type pair struct{ X, Y graph.Value }
	p, g := function(t, pair{graph.F32(1), graph.F32(1)}, graph.F32(1),
		func(m *graph.Module, _ *recursion.SubGraph[pair, graph.Value], in pair) graph.Value {
			gate := func(x, y, b float32) graph.Value {
				return ops.Add(ops.MatVec(m.Floats([]float32{x}, 1, 1), in.X), ops.MatVec(m.Floats([]float32{y}, 1, 1), in.Y), m.Floats([]float32{b}, 1))
			}
			return ops.Mul(gate(2, 3, 100), gate(5, 7, 1000))
		})
	for _, o := range []Options{{}, {Device: host.New(host.Options{Poison: true, Check: true})}} {
		o.Workers = 1
		s := session(t, p, o)
		require.Equal(t, []float32{(2*10 + 3*20 + 100) * (5*10 + 7*20 + 1000)}, result(t, s, g, numbers(10), numbers(20)).F)
		require.NoError(t, s.Close())
	}
}
