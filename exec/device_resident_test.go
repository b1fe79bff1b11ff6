package exec

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Masks that only other kernels read do not come to the host: neither those of a program
// nor those of gradients.
func TestMasksStayOnTheDevice(t *testing.T) {
	const d = 5
	p, g := function(t, graph.F32(d), graph.F32(), func(m *graph.Module, _ *recursion.SubGraph[graph.Value, graph.Value], x graph.Value) graph.Value {
		w := m.Var("w", graph.F32(d), graph.Uniform(1))
		y := ops.Maximum(ops.Mul(x, w), w)
		y = ops.Clip(y, -0.5, 0.5)
		y = ops.Add(y, ops.Pow(ops.AddScalar(ops.Square(x), 1), w))
		y = ops.Where(ops.Greater(y, x), y, ops.Mul(w, x))
		y = ops.Mul(y, ops.Cast(ops.Less(y, w), graph.Float32))
		z := ops.Sum(y)
		recursion.Loss(z)
		return z
	})
	in := growInputs(d, 7)
	for i := range in {
		in[i] = in[i][:1]
	}
	want, err := session(t, p, Options{Workers: 1}).Gradients(context.Background(), g, in, GradOptions{})
	require.NoError(t, err)
	for _, check := range []bool{false, true} {
		fetches := 0
		on := host.New(host.Options{Poison: true, Check: true, Failure: func(what string) error {
			if strings.HasPrefix(what, "Fetch") {
				fetches++
			}
			return nil
		}})
		s := session(t, p, Options{Workers: 1, Device: on, CheckFinite: check})
		got, err := s.Gradients(context.Background(), g, in, GradOptions{})
		require.NoError(t, err)
		require.Zero(t, fetches)
		require.NoError(t, differ("on a device", want, got, 1e-5))
		require.Empty(t, differFloats(want.Gradients.vars[0].Full(), got.Gradients.vars[0].Full(), 1e-5))
	}
}
