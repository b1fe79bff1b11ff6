package models_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

func vector(h []float64) []float64 { return h }

func TestTreeRNNEquations(t *testing.T) {
	binaryCell[[]float64]{
		leaf:   func(w weights, word int32) []float64 { return row(w["E"], word, hidden) },
		join:   func(w weights, l, r []float64) []float64 { return tanh(w.linear("W", "b", concat(l, r))) },
		hidden: vector,
	}.check(t, func(m *graph.Module) *graph.Graph {
		return models.NewTreeRNN(m, models.TreeRNNConfig{Vocab: words, Hidden: hidden, Classes: classes}).Graph()
	})
}

func TestRNTNEquations(t *testing.T) {
	binaryCell[[]float64]{
		leaf: func(w weights, word int32) []float64 { return row(w["E"], word, hidden) },
		join: func(w weights, l, r []float64) []float64 {
			a := concat(l, r)
			h := w.linear("W", "b", a)
			for k := range h {
				for i, x := range matVec(block(w["V"], k, hidden), a) {
					h[k] += a[i] * x
				}
			}
			return tanh(h)
		},
		hidden: vector,
	}.check(t, func(m *graph.Module) *graph.Graph {
		return models.NewRNTN(m, models.TreeRNNConfig{Vocab: words, Hidden: hidden, Classes: classes}).Graph()
	})
}

// memory is the state of an LSTM.
type memory struct{ h, c []float64 }

func remember(o, c []float64) memory { return memory{mul(sigmoid(o), tanh(c)), c} }

// treeLSTM is the binary Tree-LSTM.
var treeLSTM = binaryCell[memory]{
	leaf: func(w weights, word int32) memory {
		g := w.linear("W", "bW", row(w["E"], word, embed))
		return remember(block(g, 1, 3), mul(sigmoid(block(g, 0, 3)), tanh(block(g, 2, 3))))
	},
	join: func(w weights, l, r memory) memory {
		g := w.linear("U", "bU", concat(l.h, r.h))
		return remember(block(g, 3, 5), add(
			mul(sigmoid(block(g, 0, 5)), tanh(block(g, 4, 5))),
			mul(sigmoid(block(g, 1, 5)), l.c), mul(sigmoid(block(g, 2, 5)), r.c)))
	},
	hidden: func(s memory) []float64 { return s.h }}

func TestTreeLSTMEquations(t *testing.T) {
	treeLSTM.check(t, func(m *graph.Module) *graph.Graph {
		return models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: words, Embed: embed, Hidden: hidden, Classes: classes}).Graph()
	})
}

func TestAttentiveTreeLSTMEquations(t *testing.T) {
	trees, inputs := binaries(5)
	equations{
		build: func(m *graph.Module) *graph.Graph {
			return models.NewAttentiveTreeLSTM(m, attentionConfig).Graph()
		},
		inputs: inputs,
		run: func(w weights, i int) ([]float64, float64) {
			_, logits := attend(w, trees[i])
			return logits, crossEntropy(logits, trees[i].label[len(trees[i].label)-1])
		},
	}.check(t)
}

var attentionConfig = models.AttentiveTreeLSTMConfig{Vocab: words, Embed: embed, Hidden: hidden, Attention: attention, Classes: classes}

// attend returns the weight of every node and the logits.
func attend(w weights, t binary) (weight, logits []float64) {
	h := make([][]float64, len(t.word))
	weight = make([]float64, len(t.word))
	treeLSTM.state(w, t, int32(len(t.word)-1), func(i int32, s memory) { h[i] = s.h })
	total := 0.0
	for i := range h {
		weight[i] = math.Exp(matVec(w["q"], tanh(w.linear("Wa", "ba", h[i])))[0])
		total += weight[i]
	}
	sum := make([]float64, hidden)
	for i := range h {
		weight[i] /= total
		sum = add(sum, each(func(x float64) float64 { return weight[i] * x }, h[i]))
	}
	return weight, w.linear("Ws", "bs", sum)
}

func TestAttentionTable(t *testing.T) {
	m := graph.NewModule("test")
	g := models.NewAttentiveTreeLSTM(m, attentionConfig).Graph()
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, exec.Options{})
	require.NoError(t, err)
	w := randomWeights(t, s)
	trees, inputs := binaries(6)
	r, err := s.Run(context.Background(), g, inputs)
	require.NoError(t, err)
	for i, tree := range trees {
		table := r.Tables[i]["attention"]
		want, _ := attend(w, tree)
		for k, id := range table.Keys {
			assert.EqualValues(t, k, id)
		}
		assertClose(t, want, table.Values, 1e-6, "weights of nodes")
	}
}

func TestMVRNNEquations(t *testing.T) {
	const n, rank = hidden, 2
	type state struct{ a, matrix []float64 }
	binaryCell[state]{
		leaf: func(w weights, word int32) state {
			u, v := row(w["U"], word, n*rank), row(w["V"], word, n*rank)
			s := state{row(w["E"], word, n), make([]float64, n*n)}
			for i := range n {
				s.matrix[i*n+i] = row(w["D"], word, n)[i]
				for j := range n {
					for k := range rank {
						s.matrix[i*n+j] += u[i*rank+k] * v[j*rank+k]
					}
				}
			}
			return s
		},
		join: func(w weights, l, r state) state {
			return state{
				tanh(matVec(w["W"], concat(matVec(r.matrix, l.a), matVec(l.matrix, r.a)))),
				matMul(w["WM"], concat(l.matrix, r.matrix), 2*n),
			}
		},
		hidden: func(s state) []float64 { return s.a },
	}.check(t, func(m *graph.Module) *graph.Graph {
		return models.NewMVRNN(m, models.MVRNNConfig{Vocab: words, Hidden: n, Rank: rank, Classes: classes}).Graph()
	})
}
