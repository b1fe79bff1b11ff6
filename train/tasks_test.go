package train_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// Large arrays are dealt out among workers; that must not show.
func TestLargeArrays(t *testing.T) {
	const rows, width, wide = 5000, 40, 100_000
	m := graph.NewModule("large")
	table := m.Var("table", graph.F32(rows, width), graph.Uniform(1))
	vector := m.Var("vector", graph.F32(wide), graph.Uniform(1))
	f := recursion.Declare(m, "f", graph.I32(graph.Any), graph.F32())
	f.Define(func(ids graph.Value) graph.Value {
		loss := ops.MulScalar(ops.Add(ops.Sum(ops.Square(ops.At(table, ids))), ops.Sum(ops.Square(vector))), 0.5)
		recursion.Loss(loss)
		return loss
	})
	p, err := m.Build()
	require.NoError(t, err)
	ids := make([]int32, 0, rows)
	for i := range int32(rows) {
		if i%3 != 1 {
			ids = append(ids, i)
		}
	}
	run := func(workers int, newOptimizer func() train.Optimizer) (before, after map[string][]float32, norm float64) {
		s, err := exec.New(p, exec.Options{Workers: workers})
		require.NoError(t, err)
		defer s.Close()
		before, opt := values(s.Parameters()), newOptimizer()
		for range 3 {
			r, err := s.Gradients(t.Context(), f.Graph(), [][]exec.Array{{{Shape: []int{len(ids)}, I: ids}}}, exec.GradOptions{})
			require.NoError(t, err)
			require.Len(t, r.Gradients.Of(p.Variable("table")).Rows, len(ids))
			norm = train.Norm(r.Gradients)
			train.Scale(r.Gradients, 0.5)
			require.NoError(t, opt.Step(s.Parameters(), r.Gradients))
		}
		return before, values(s.Parameters()), norm
	}
	for name, newOptimizer := range optimizers() {
		_, one, norm := run(1, newOptimizer)
		_, four, again := run(4, newOptimizer)
		assert.Equal(t, norm, again, name)
		for variable := range one {
			// Not assert.Equal: it would print all of it.
			assert.True(t, slices.Equal(one[variable], four[variable]), "%s: %s", name, variable)
		}
	}

	// The gradient is the weight: every step takes half of a tenth away.
	before, after, _ := run(4, func() train.Optimizer { return train.NewSGD(0.1) })
	for i, w := range before["vector"] {
		require.InDelta(t, w*0.95*0.95*0.95, after["vector"][i], 1e-6)
	}
	for i, w := range before["table"] {
		want := w
		if (i/width)%3 != 1 {
			want *= 0.95 * 0.95 * 0.95
		}
		require.InDelta(t, want, after["table"][i], 1e-6)
	}
}
