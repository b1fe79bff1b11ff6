package models_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// At first the matrix of two nodes is about the mean of theirs.
func TestMVRNNStartsWithMeans(t *testing.T) {
	m := graph.NewModule("test")
	models.NewMVRNN(m, models.MVRNNConfig{Vocab: words, Hidden: hidden, Rank: 2, Classes: classes})
	p, err := m.Build()
	require.NoError(t, err)
	for _, v := range p.Variables {
		if v.Name != "WM" {
			continue
		}
		left, right := []float64{1, 2, 3, 4}, []float64{-5, 0, 1, 2}
		mean := matVec(float64s(v.InitialValue(1)), concat(left, right))
		assert.InDeltaSlice(t, []float64{-2, 1, 2, 3}, mean, 0.2)
		return
	}
	t.Error("there is no WM")
}
