package models_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// tdGrow grows a tree with the elements of the noise at its disposal.
func (w weights) tdGrow(noise [][]float64, kind int, word int32, from memory) (*tdTree, float64) {
	s, logits := w.tdStep(kind, word, from)
	t := &tdTree{word: largest(add(logits, noise[0][:words]))}
	loss, scores := crossEntropy(logits, t.word), w.tdAdd(s, t.word)
	kinds := []int{0, 1, 2 + kind%2}
	wanted := 0
	for k, kind := range kinds {
		if scores[kind]+noise[0][words+k] > 0 {
			wanted++
		}
	}
	rest := noise[1:]
	share := len(rest) / max(wanted, 1)
	for k, child := range []**tdTree{&t.left, &t.right, &t.next} {
		score := scores[kinds[k]]
		if score+noise[0][words+k] <= 0 || share == 0 {
			loss += minusLogSigmoid(-score)
			continue
		}
		var below float64
		*child, below = w.tdGrow(rest[:share], kinds[k], t.word, s)
		loss += minusLogSigmoid(score) + below
		rest = rest[share:]
	}
	return t, loss
}

func largest(x []float64) int32 {
	best := 0
	for i := range x {
		if x[i] > x[best] {
			best = i
		}
	}
	return int32(best)
}

// noises is one for each bound on the nodes; the first is silent.
func noises(bounds ...int) [][]float32 {
	rng := rand.New(rand.NewPCG(11, 0))
	all := [][]float32{make([]float32, bounds[0]*(words+3))}
	for _, n := range bounds[1:] {
		all = append(all, models.SampleNoise(rng, n, words))
	}
	return all
}

func noiseArray(noise []float32) []exec.Array {
	return []exec.Array{{Shape: []int{len(noise) / (words + 3), words + 3}, F: noise}}
}

func noiseRows(noise []float32) (rows [][]float64) {
	for i := 0; i < len(noise); i += words + 3 {
		var r []float64
		for _, x := range noise[i : i+words+3] {
			r = append(r, float64(x))
		}
		rows = append(rows, r)
	}
	return rows
}

func TestTDTreeLSTMGenerateEquations(t *testing.T) {
	all := noises(20, 1, 2, 40, 7)
	var inputs [][]exec.Array
	for _, n := range all {
		inputs = append(inputs, noiseArray(n))
	}
	equations{
		build:  func(m *graph.Module) *graph.Graph { return models.NewTDTreeLSTM(m, tdConfig).Generate.Graph() },
		inputs: inputs,
		run: func(w weights, i int) ([]float64, float64) {
			_, loss := w.tdGrow(noiseRows(all[i]), 1, words, tdRoot())
			return nil, loss
		},
	}.check(t)
}

// tdSession is a model with weights that are not those it begins with.
func tdSession(t *testing.T, o exec.Options) (models.TDTreeLSTM, *exec.Session, weights) {
	t.Helper()
	m := graph.NewModule("td")
	model := models.NewTDTreeLSTM(m, tdConfig)
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, o)
	require.NoError(t, err)
	return model, s, randomWeights(t, s)
}

// Trees of all sizes and shapes grow together; each is what the equations grow, keeps
// within its bound, and has, taken apart again, the probability with which it grew.
func TestTDTreeLSTMGrowsTrees(t *testing.T) {
	model, s, w := tdSession(t, exec.Options{Workers: 1, NoSharing: true})
	all := noises(50, 1, 2, 30, 400, 400, 400, 400, 400, 400)
	var inputs [][]exec.Array
	for _, n := range all {
		inputs = append(inputs, noiseArray(n))
	}
	s.ResetStats()
	grown, err := s.Run(context.Background(), model.Generate.Graph(), inputs)
	require.NoError(t, err)
	stats := s.Stats()

	sizes := map[int]bool{}
	for i, noise := range all {
		want, _ := w.tdGrow(noiseRows(noise), 1, words, tdRoot())
		var lists tdLists
		lists.add(want)
		for k, list := range lists.arrays() {
			assert.Equal(t, list.I, grown.Outputs[i][k].I, "list %d of tree %d", k, i)
		}
		assert.LessOrEqual(t, len(lists.Word), len(noise)/(words+3))
		sizes[len(lists.Word)] = true
	}
	assert.Greater(t, len(sizes), 5, "the trees differ: %v", sizes)
	assert.Greater(t, stats.FloatRows, 3*stats.FloatBatches, "nodes are computed together")

	scored, err := s.Run(context.Background(), model.Score.Graph(), grown.Outputs)
	require.NoError(t, err)
	for i, out := range scored.Outputs {
		assert.EqualValues(t, len(grown.Outputs[i][0].I), out[0].I[0], "nodes")
		assert.Equal(t, grown.Losses[i], scored.Losses[i])
	}
}

func setVariable(t *testing.T, s *exec.Session, name string, value []float32) {
	t.Helper()
	for _, v := range s.Program().Variables {
		if v.Name == name {
			require.NoError(t, s.Parameters().Set(v, value))
			return
		}
	}
	t.Fatalf("there is no variable %s", name)
}

// The shares of subtrees do not stop a complete tree that fits.
func TestTDTreeLSTMBoundLeavesCompleteTreesWhole(t *testing.T) {
	model, s, _ := tdSession(t, exec.Options{Workers: 1})
	setVariable(t, s, "badd", []float32{100, 100, 100, 100})
	for bound, nodes := range map[int]int{1: 1, 3: 1, 4: 4, 12: 4, 13: 13, 39: 13, 40: 40} {
		silent := make([]float32, bound*(words+3))
		r, err := s.Run(context.Background(), model.Generate.Graph(), [][]exec.Array{noiseArray(silent)})
		require.NoError(t, err)
		assert.Len(t, r.Outputs[0][0].I, nodes, "bound %d", bound)
	}
}

func TestTDTreeLSTMMistakesAreErrors(t *testing.T) {
	model, s, _ := tdSession(t, exec.Options{MaxDepth: 1000})
	run := func(g *graph.Graph, in []exec.Array) error {
		_, err := s.Run(context.Background(), g, [][]exec.Array{in})
		return err
	}
	generate, score := model.Generate.Graph(), model.Score.Graph()
	assert.Error(t, run(generate, noiseArray(nil)), "there is no room for a node")
	circle := tdLists{Word: []int32{0, 1}, Left: []int32{1, 0}, Right: []int32{-1, -1}, Next: []int32{-1, -1}}
	assert.ErrorIs(t, run(score, circle.arrays()), exec.ErrDepth)
	unknown := tdLists{Word: []int32{words}, Left: []int32{-1}, Right: []int32{-1}, Next: []int32{-1}}
	assert.Error(t, run(score, unknown.arrays()), "the artificial root is no word")
	ragged := tdLists{Word: []int32{0, 1}, Left: []int32{-1}, Right: []int32{-1}, Next: []int32{-1}}
	assert.Error(t, run(score, ragged.arrays()))
}

// With noise, words and edges have the probabilities that the model gives them.
func TestSampleNoise(t *testing.T) {
	const samples = 20000
	scores := []float64{0.5, -1, 0, 1, 0.2, -0.3}
	logits, edges := scores, []float64{-1, 0.4, 2}
	noise := noiseRows(models.SampleNoise(rand.New(rand.NewPCG(5, 6)), samples, words))
	require.Len(t, noise, samples)
	assert.Empty(t, models.SampleNoise(nil, -1, words))
	var counts [words]float64
	var has [3]float64
	for _, n := range noise {
		counts[largest(add(logits, n[:words]))]++
		for k, e := range edges {
			if e+n[words+k] > 0 {
				has[k]++
			}
		}
	}
	for i, p := range softmax(logits) {
		assert.InDelta(t, p, counts[i]/samples, 4*math.Sqrt(p/samples), "word %d", i)
	}
	for k, p := range sigmoid(edges) {
		assert.InDelta(t, p, has[k]/samples, 4*math.Sqrt(p/samples), "edge %d", k)
	}
}

// Small trees are among the samples as often as their probabilities say.
func TestTDTreeLSTMSamples(t *testing.T) {
	const samples, bound = 2000, 40
	model, s, _ := tdSession(t, exec.Options{Workers: 1})
	rng := rand.New(rand.NewPCG(7, 8))
	var inputs [][]exec.Array
	for range samples {
		inputs = append(inputs, noiseArray(models.SampleNoise(rng, bound, words)))
	}
	grown, err := s.Run(context.Background(), model.Generate.Graph(), inputs)
	require.NoError(t, err)
	var leaves [words]float64 // trees of one node
	for _, out := range grown.Outputs {
		if w := out[0].I; len(w) == 1 {
			leaves[w[0]]++
		}
	}
	for word := range int32(words) {
		var l tdLists
		l.add(&tdTree{word: word})
		r, err := s.Run(context.Background(), model.Score.Graph(), [][]exec.Array{l.arrays()})
		require.NoError(t, err)
		p := math.Exp(-r.Loss)
		assert.InDelta(t, p, leaves[word]/samples, 4*math.Sqrt(p/samples), "word %d", word)
	}
}
