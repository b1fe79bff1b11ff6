package models_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// With dropout, too, a model gives what the reference interpreter gives; without a seed
// nothing is dropped.
func TestDropout(t *testing.T) {
	_, pairs := binaries(7)
	var trees, sentences [][]exec.Array
	for _, tree := range generals(7, 2, true) {
		trees = append(trees, tree.inputs())
	}
	for _, sequence := range sequences(7) {
		sentences = append(sentences, []exec.Array{ints(sequence), {I: []int32{1}}})
	}
	for name, c := range map[string]struct {
		build  func(m *graph.Module, dropout float64) *graph.Graph
		inputs [][]exec.Array
	}{
		"treelstm": {func(m *graph.Module, dropout float64) *graph.Graph {
			return models.NewTreeLSTM(m, models.TreeLSTMConfig{
				Vocab: words, Embed: embed, Hidden: hidden, Classes: classes, Dropout: dropout}).Graph()
		}, pairs},
		"attentivetreelstm": {func(m *graph.Module, dropout float64) *graph.Graph {
			c := attentionConfig
			c.Dropout = dropout
			return models.NewAttentiveTreeLSTM(m, c).Graph()
		}, pairs},
		"narytreelstm": {func(m *graph.Module, dropout float64) *graph.Graph {
			return models.NewNaryTreeLSTM(m, models.NaryTreeLSTMConfig{
				Vocab: words, Embed: embed, Hidden: hidden, Arity: 2, Classes: classes, Dropout: dropout}).Graph()
		}, trees},
		"treegru": {func(m *graph.Module, dropout float64) *graph.Graph {
			return models.NewTreeGRU(m, models.TreeGRUConfig{
				Vocab: words, Embed: embed, Hidden: hidden, Classes: classes, Dropout: dropout}).Graph()
		}, trees},
		"lstm": {func(m *graph.Module, dropout float64) *graph.Graph {
			return models.NewLSTM(m, models.LSTMConfig{
				Vocab: words, Embed: embed, Hidden: hidden, Classes: classes, Dropout: dropout}).Graph()
		}, sentences},
	} {
		t.Run(name, func(t *testing.T) {
			// run returns the losses of a model with the rate, for a seed or none.
			run := func(rate float64, seed uint64, o exec.Options) *exec.Result {
				m := graph.NewModule("test")
				g := c.build(m, rate)
				p, err := m.Build()
				require.NoError(t, err)
				s, err := exec.New(p, o)
				require.NoError(t, err)
				randomWeights(t, s)
				r, err := s.Gradients(context.Background(), g, c.inputs, exec.GradOptions{Seed: seed})
				require.NoError(t, err)
				return r
			}
			dropped := run(0.5, 3, exec.Options{Workers: 2})
			want := run(0.5, 3, exec.Options{Reference: true, Float64: true})
			assert.InDeltaSlice(t, want.Losses, dropped.Losses, 1e-4)
			whole := run(0.5, 0, exec.Options{})
			assert.Equal(t, run(0, 0, exec.Options{}).Losses, whole.Losses)
			assert.NotEqual(t, whole.Loss, dropped.Loss)
		})
	}
}
