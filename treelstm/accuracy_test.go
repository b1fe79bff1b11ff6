package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
)

func outcome(rows ...[]float32) train.Outcome {
	t := &exec.Table{Width: len(rows[0])}
	for i, r := range rows {
		t.Keys, t.Values = append(t.Keys, int32(i)), append(t.Values, r...)
	}
	return train.Outcome{Outputs: []exec.Array{{F: rows[len(rows)-1]}}, Tables: map[string]*exec.Table{"logits": t}}
}

func TestAccuracy(t *testing.T) {
	a := &accuracy{sentiment: true}
	neutral, good := []float32{0, 0, 5, 0, 0}, []float32{0, 0, 0, 0, 5}
	// Neutral is the likeliest class, but of the others the positive ones together.
	leaning := []float32{0, 1, 3, 2, 1}
	a.add(example{Label: []int32{2, 3, 3}}, outcome(neutral, good, leaning))
	a.add(example{Label: []int32{2, 0, 1}}, outcome(good, leaning, good))
	assert.Equal(t, ratio{0, 2}, a.roots)
	assert.Equal(t, ratio{1, 6}, a.nodes)
	assert.Equal(t, ratio{1, 2}, a.binaryRoots)
	assert.Equal(t, ratio{2, 4}, a.binaryNodes, "neutral nodes do not count")
	assert.Equal(t, "root 0.00%  nodes 16.67%  binary root 50.00%  nodes 50.00%", a.String())
}

func TestNodesWithoutLabelDoNotCount(t *testing.T) {
	a := &accuracy{}
	a.add(example{Label: []int32{-1, 1, -1}}, outcome([]float32{1, 0}, []float32{0, 1}, []float32{1, 0}))
	assert.Equal(t, ratio{0, 0}, a.roots)
	assert.Equal(t, ratio{1, 1}, a.nodes)
	assert.Equal(t, "root 0.00%  nodes 100.00%", a.String())
}

func TestProbabilities(t *testing.T) {
	assert.InDeltaSlice(t, []float64{0.25, 0.25, 0.5}, probabilities([]float32{0, 0, 0.6931472}), 1e-7)
	assert.InDeltaSlice(t, []float64{1, 0}, probabilities([]float32{1000, -1000}), 1e-12, "large logits do not overflow")
}
