package train_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
)

// norm adds up in the obvious way.
func norm(g *exec.Gradients) float64 {
	sum := 0.0
	g.Each(func(g *exec.Gradient) {
		for _, x := range g.Full() {
			sum += float64(x) * float64(x)
		}
	})
	return math.Sqrt(sum)
}

func full(g *exec.Gradients) map[string][]float32 {
	all := map[string][]float32{}
	g.Each(func(g *exec.Gradient) { all[g.Variable.Name] = append([]float32{}, g.Full()...) })
	return all
}

func TestClipNorm(t *testing.T) {
	m := newTreeModel(t)
	s := m.session(t, exec.Options{})
	g := m.gradients(t, s, randomTrees(1, 20))
	before, want := full(g), norm(g)
	require.Greater(t, want, 1.0)
	require.NotEmpty(t, g.Of(m.variable("E")).Rows, "a sparse gradient is part of the norm")

	assert.InEpsilon(t, want, train.ClipNorm(g, 2*want), 1e-6)
	assert.Equal(t, before, full(g), "below the limit nothing changes")

	assert.InEpsilon(t, want, train.ClipNorm(g, 0.5), 1e-6)
	assert.InEpsilon(t, 0.5, norm(g), 1e-6)
	for name, x := range full(g) {
		for i := range x {
			assert.InDelta(t, float64(before[name][i])*0.5/want, x[i], 1e-7, "the direction stays")
		}
	}
}
