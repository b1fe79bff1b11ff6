package models_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// outputs is the number of words of sequences.
const outputs = 7

var decoderConfig = models.TreeToSequenceConfig{Vocab: words, Embed: embed, Hidden: hidden, Outputs: outputs}

// wordTrees are binary trees with a word at every node, as inputs.
func wordTrees(seed uint64) (trees []binary, inputs [][]exec.Array) {
	trees, _ = binaries(seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, t := range trees {
		for i := range t.word {
			t.word[i] = rng.Int32N(words)
		}
		inputs = append(inputs, []exec.Array{ints(t.word), ints(t.left), ints(t.right)})
	}
	return trees, inputs
}

// encode computes node i, and appends what all nodes below and i itself give.
func (w weights) encode(t binary, i int32, all *[][]float64) memory {
	l, r := tdRoot(), tdRoot() // zeros
	if t.left[i] >= 0 {
		l = w.encode(t, t.left[i], all)
		r = w.encode(t, t.right[i], all)
	}
	g := add(w.linear("W", "b", row(w["E"], t.word[i], embed)), matVec(w["U"], concat(l.h, r.h)))
	gate := func(k int) []float64 { return sigmoid(block(g, k, 5)) }
	s := remember(block(g, 3, 5), add(mul(gate(0), tanh(block(g, 4, 5))), mul(gate(1), l.c), mul(gate(2), r.c)))
	*all = append(*all, s.h)
	return s
}

// writer is a decoder between two words.
type writer struct {
	w     weights
	nodes [][]float64
	state memory
	a     []float64
}

func (w weights) newWriter(t binary) *writer {
	d := &writer{w: w, a: make([]float64, hidden)}
	d.state = w.encode(t, int32(len(t.word)-1), &d.nodes)
	return d
}

// next returns the logits of the word behind the given one.
func (d *writer) next(word int32) []float64 {
	d.state = d.w.lstm("d", concat(row(d.w["D"], word, embed), d.a), d.state)
	var scores []float64
	for _, h := range d.nodes {
		scores = append(scores, matVec(h, d.state.h)...)
	}
	mix := make([]float64, hidden)
	for i, alpha := range softmax(scores) {
		for k := range mix {
			mix[k] += alpha * d.nodes[i][k]
		}
	}
	d.a = tanh(d.w.linear("Wa", "ba", concat(d.state.h, mix)))
	return d.w.linear("Wo", "bo", d.a)
}

// write returns the words until the end, limit of them at most.
func (d *writer) write(limit int) []int32 {
	sequence, word := []int32{}, int32(models.EndOfSequence)
	for len(sequence) < limit {
		word = largest(d.next(word))
		sequence = append(sequence, word)
		if word == models.EndOfSequence {
			break
		}
	}
	return sequence
}

func TestTreeToSequenceTrainEquations(t *testing.T) {
	trees, inputs := wordTrees(12)
	targets := [][]int32{{3, 1, 0}, {0}, {}, {5, 5, 6, 2, 1, 0}}
	for i := range inputs {
		inputs[i] = append(inputs[i], ints(targets[i]))
	}
	equations{
		build: func(m *graph.Module) *graph.Graph {
			return models.NewTreeToSequence(m, decoderConfig).Train.Graph()
		},
		inputs: inputs,
		run: func(w weights, i int) (_ []float64, loss float64) {
			d, before := w.newWriter(trees[i]), int32(models.EndOfSequence)
			for _, word := range targets[i] {
				loss += crossEntropy(d.next(before), word)
				before = word
			}
			return nil, loss
		},
	}.check(t)
}

func decoderSession(t *testing.T, o exec.Options) (models.TreeToSequence, *exec.Session, weights) {
	t.Helper()
	m := graph.NewModule("decoder")
	model := models.NewTreeToSequence(m, decoderConfig)
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, o)
	require.NoError(t, err)
	return model, s, randomWeights(t, s)
}

// Sequences are written together, end at different words, and are what the equations
// write; to the trainer all of their words are the most probable ones.
func TestTreeToSequenceDecodes(t *testing.T) {
	const limit = 15
	model, s, w := decoderSession(t, exec.Options{Workers: 1, NoSharing: true})
	rng := rand.New(rand.NewPCG(31, 0))
	for _, name := range []string{"E", "W", "U", "Wa", "Wo", "Wd", "D"} { // states that differ more
		x := make([]float32, len(w[name]))
		for i := range x {
			x[i] = float32(rng.NormFloat64()) * 2
			w[name][i] = float64(x[i])
		}
		setVariable(t, s, name, x)
	}
	w["bo"][models.EndOfSequence] = 1 // so that sequences end
	setVariable(t, s, "bo", float32s(w["bo"]))
	var trees []binary
	var inputs [][]exec.Array
	for range 40 {
		tree := randomBinary(rng, 1+rng.IntN(6))
		for i := range tree.word {
			tree.word[i] = rng.Int32N(words)
		}
		trees = append(trees, tree)
		inputs = append(inputs, []exec.Array{ints(tree.word), ints(tree.left), ints(tree.right), {I: []int32{limit}}})
	}
	s.ResetStats()
	r, err := s.Run(context.Background(), model.Decode.Graph(), inputs)
	require.NoError(t, err)
	stats := s.Stats()
	assert.Greater(t, stats.FloatRows, 5*stats.FloatBatches, "sequences are written together")

	lengths := map[int]bool{}
	for i := range inputs {
		want := w.newWriter(trees[i]).write(limit)
		got := r.Outputs[i][0].I
		assert.True(t, slices.Equal(want, got), "want %v, got %v", want, got)
		lengths[len(got)] = true
		inputs[i][3] = ints(got)
		alone, err := s.Run(context.Background(), model.Train.Graph(), inputs[i:i+1])
		require.NoError(t, err)
		assert.Equal(t, int32(len(got)), alone.Outputs[0][0].I[0], "words that are the most probable")
	}
	assert.Greater(t, len(lengths), 4, "the lengths differ: %v", lengths)
}

func float32s(x []float64) (y []float32) {
	for _, v := range x {
		y = append(y, float32(v))
	}
	return y
}

func TestTreeToSequenceLimits(t *testing.T) {
	model, s, w := decoderSession(t, exec.Options{})
	trees, inputs := wordTrees(12)
	for i := range inputs {
		for _, limit := range []int{-1, 0, 1, 3, 50} {
			in := append(slices.Clone(inputs[i]), exec.Array{I: []int32{int32(limit)}})
			r, err := s.Run(context.Background(), model.Decode.Graph(), [][]exec.Array{in})
			require.NoError(t, err)
			assert.True(t, slices.Equal(w.newWriter(trees[i]).write(limit), r.Outputs[0][0].I), "limit %d", limit)
		}
	}
}

func TestTreeToSequenceMistakesAreErrors(t *testing.T) {
	model, s, _ := decoderSession(t, exec.Options{})
	run := func(g *graph.Graph, in ...exec.Array) error {
		_, err := s.Run(context.Background(), g, [][]exec.Array{in})
		return err
	}
	one, leaf := ints([]int32{1}), ints([]int32{-1})
	assert.NoError(t, run(model.Train.Graph(), one, leaf, leaf, one))
	assert.Error(t, run(model.Train.Graph(), one, leaf, leaf, ints([]int32{outputs})), "there is no such word")
	assert.Error(t, run(model.Train.Graph(), ints([]int32{-1}), leaf, leaf, one), "a node has no word")
	assert.Error(t, run(model.Decode.Graph(), ints(nil), ints(nil), ints(nil), exec.Array{I: []int32{5}}), "there is no node")
}
