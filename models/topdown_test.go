package models_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

func TestTopDownEquations(t *testing.T) {
	const deepest = 3
	var hs, targets [][]float64
	sizes := map[int]int{} // trees by their number of leaves
	e := equations{
		build: func(m *graph.Module) *graph.Graph {
			return models.NewTopDown(m, models.TopDownConfig{Hidden: hidden, Out: classes, MaxDepth: deepest}).Graph()
		},
		run: func(w weights, i int) ([]float64, float64) {
			leaves := 0
			var grow func(h []float64, depth int) []float64
			grow = func(h []float64, depth int) []float64 {
				if s := matVec(w["w"], h)[0] + w["b0"][0]; s > 0 && depth < deepest {
					left := grow(tanh(w.linear("Wl", "bl", h)), depth+1)
					return add(left, grow(tanh(w.linear("Wr", "br", h)), depth+1))
				}
				leaves++
				return matVec(w["V"], h)
			}
			y := grow(hs[i], 0)
			sizes[leaves]++
			return y, halfSquare(y, targets[i])
		},
	}
	rng := rand.New(rand.NewPCG(8, 0))
	for range 6 {
		h, target := randomVector(rng, hidden), randomVector(rng, classes)
		hs, targets = append(hs, float64s(h.F)), append(targets, float64s(target.F))
		e.inputs = append(e.inputs, []exec.Array{h, target})
	}
	e.check(t)
	assert.Greater(t, len(sizes), 2, "trees of different sizes")
}

func TestDAGEquations(t *testing.T) {
	// Node 5 uses node 4 twice, which uses node 2 beside node 3, which uses it, too.
	word := []int32{1, 5, -1, -1, -1, -1}
	left, right := []int32{-1, -1, 0, 2, 2, 4}, []int32{-1, -1, 1, 0, 3, 4}
	target := []float32{1, 0, -0.5, 0.25}
	for _, unfold := range []bool{false, true} {
		equations{
			build: func(m *graph.Module) *graph.Graph {
				return models.NewDAG(m, models.DAGConfig{Leaves: words, Hidden: hidden, Unfold: unfold}).Graph()
			},
			inputs: [][]exec.Array{{ints(word), ints(left), ints(right), {Shape: []int{hidden}, F: target}}},
			run: func(w weights, _ int) ([]float64, float64) {
				h := make([][]float64, len(word))
				for i := range h {
					if left[i] < 0 {
						h[i] = row(w["X"], word[i], hidden)
					} else {
						h[i] = tanh(w.linear("W", "b", concat(h[left[i]], h[right[i]])))
					}
				}
				root := h[len(h)-1]
				return root, halfSquare(root, float64s(target))
			},
		}.check(t)
	}
}

func float64s(x []float32) (y []float64) {
	for _, a := range x {
		y = append(y, float64(a))
	}
	return y
}
