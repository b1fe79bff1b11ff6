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
