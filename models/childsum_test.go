package models_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

// Word vectors that are held fixed have no gradient, and training leaves them alone;
// everything else is as without.
func TestChildSumWithFixedWords(t *testing.T) {
	trees := generals(4, 2, false)
	pair := append(trees[0].inputs()[:3], trees[1].inputs()[:3]...)
	inputs := [][]exec.Array{append(pair, exec.Array{F: []float32{2.25}})}
	gradients := map[bool]map[string][]float32{}
	for _, fixed := range []bool{false, true} {
		m := graph.NewModule("test")
		g := models.NewChildSum(m, models.ChildSumConfig{
			Vocab: words, Embed: embed, Hidden: hidden, Similarity: attention, Classes: classes, FixedWords: fixed}).Graph()
		p, err := m.Build()
		require.NoError(t, err)
		s, err := exec.New(p, exec.Options{Seed: 1, Workers: 1})
		require.NoError(t, err)
		r, err := s.Gradients(context.Background(), g, inputs, exec.GradOptions{})
		require.NoError(t, err)
		gradients[fixed] = map[string][]float32{}
		for _, v := range p.Variables {
			require.Equal(t, fixed && v.Name == "E", v.Frozen, v.Name)
			if v.Name != "E" {
				gradients[fixed][v.Name] = r.Gradients.Of(v).Full()
			}
		}
		table := p.Variable("E")
		before := s.Parameters().Value(table)
		decaying := train.NewAdagrad(0.1)
		decaying.L2 = 0.1
		require.NoError(t, decaying.Step(s.Parameters(), r.Gradients))
		assert.Equal(t, fixed, assert.ObjectsAreEqual(before, s.Parameters().Value(table)))
		require.NoError(t, s.Close())
	}
	assert.Equal(t, gradients[false], gradients[true])
}
