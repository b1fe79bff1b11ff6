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
	"github.com/frondml/frond/ops"
)

// general is an input of the models over trees of any arity.
type general struct{ word, start, child, label []int32 }

func (t general) inputs() []exec.Array {
	return []exec.Array{ints(t.word), ints(t.start), ints(t.child), ints(t.label)}
}

func (t general) children(i int32) []int32 { return t.child[t.start[i]:t.start[i+1]] }

// randomGeneral gives every node but the last a parent behind it that has fewer than
// arity children. If wordless, some nodes have no word.
func randomGeneral(rng *rand.Rand, nodes, arity int, wordless bool) general {
	children := make([][]int32, nodes)
	for i := nodes - 2; i >= 0; i-- {
		parent := i + 1 + rng.IntN(nodes-1-i)
		if len(children[parent]) == arity {
			parent = i + 1 // has none yet
		}
		children[parent] = append(children[parent], int32(i))
	}
	t := general{start: []int32{0}}
	for _, c := range children {
		t.child = append(t.child, c...)
		t.start = append(t.start, int32(len(t.child)))
		t.label = append(t.label, rng.Int32N(classes+1)-1)
		word := rng.Int32N(words)
		if wordless && rng.IntN(3) == 0 {
			word = -1
		}
		t.word = append(t.word, word)
	}
	return t
}

func generals(seed uint64, arity int, wordless bool) []general {
	rng := rand.New(rand.NewPCG(seed, 0))
	var trees []general
	for _, nodes := range []int{1, 2, 4, 9, 14} {
		trees = append(trees, randomGeneral(rng, nodes, arity, wordless))
	}
	return trees
}

// nodeCell is a models.NodeCell in plain Go; children are the states of the children.
type nodeCell[S any] struct {
	node   func(w weights, x []float64, children []S) S
	hidden func(S) []float64
}

func (c nodeCell[S]) state(w weights, t general, i int32, visit func(i int32, s S)) S {
	var children []S
	for _, k := range t.children(i) {
		children = append(children, c.state(w, t, k, visit))
	}
	x := make([]float64, embed)
	if t.word[i] >= 0 {
		x = row(w["E"], t.word[i], embed)
	}
	s := c.node(w, x, children)
	visit(i, s)
	return s
}

// check compares a model that classifies the nodes of trees.
func (c nodeCell[S]) check(t *testing.T, trees []general, build func(m *graph.Module) *graph.Graph) {
	t.Helper()
	e := equations{build: build, run: func(w weights, i int) (logits []float64, loss float64) {
		tree := trees[i]
		c.state(w, tree, int32(len(tree.word)-1), func(i int32, s S) {
			logits = w.linear("Ws", "bs", c.hidden(s))
			loss += crossEntropy(logits, tree.label[i])
		})
		return logits, loss
	}}
	for _, tree := range trees {
		e.inputs = append(e.inputs, tree.inputs())
	}
	e.check(t)
}

func TestTreeGRUEquations(t *testing.T) {
	nodeCell[[]float64]{
		node: func(w weights, x []float64, children [][]float64) []float64 {
			sum, reset := make([]float64, hidden), make([]float64, hidden)
			gate := func(i int, u string, h []float64) []float64 {
				return add(block(w.linear("W", "b", x), i, 3), matVec(w[u], h))
			}
			for _, h := range children {
				sum = add(sum, h)
				reset = add(reset, mul(sigmoid(gate(1, "Ur", h)), h))
			}
			z := sigmoid(gate(0, "Uz", sum))
			return add(mul(z, sum), mul(complement(z), tanh(gate(2, "Uc", reset))))
		},
		hidden: vector,
	}.check(t, generals(1, 4, true), func(m *graph.Module) *graph.Graph {
		return models.NewTreeGRU(m, models.TreeGRUConfig{Vocab: words, Embed: embed, Hidden: hidden, Classes: classes}).Graph()
	})
}

// naryNode is equations 9-14 one by one.
func naryNode(n int) func(w weights, x []float64, children []memory) memory {
	return func(w weights, x []float64, children []memory) memory {
		wx := w.linear("W", "b", x)
		// sum is part gate of Σl U hl, in which U has 3+n parts for every child l.
		sum := func(gate int) []float64 {
			total := make([]float64, hidden)
			for l, child := range children {
				for a := range hidden {
					for b := range hidden {
						total[a] += w["U"][(gate*hidden+a)*n*hidden+l*hidden+b] * child.h[b]
					}
				}
			}
			return total
		}
		i := sigmoid(add(block(wx, 0, 4), sum(0)))
		c := mul(i, tanh(add(block(wx, 3, 4), sum(2))))
		for k, child := range children {
			c = add(c, mul(sigmoid(add(block(wx, 1, 4), sum(3+k))), child.c))
		}
		return remember(add(block(wx, 2, 4), sum(1)), c)
	}
}

func TestNaryTreeLSTMEquations(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		cell := nodeCell[memory]{node: naryNode(n), hidden: func(s memory) []float64 { return s.h }}
		cell.check(t, generals(2, n, true), func(m *graph.Module) *graph.Graph { return naryTreeLSTM(m, n) })
	}
}

func naryTreeLSTM(m *graph.Module, n int) *graph.Graph {
	return models.NewNaryTreeLSTM(m, models.NaryTreeLSTMConfig{
		Vocab: words, Embed: embed, Hidden: hidden, Arity: n, Classes: classes,
	}).Graph()
}

func TestNaryTreeLSTMRefusesMoreChildren(t *testing.T) {
	m := graph.NewModule("test")
	g := naryTreeLSTM(m, 2)
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, exec.Options{})
	require.NoError(t, err)
	none := []int32{-1, -1, -1, -1}
	tree := general{word: none, start: []int32{0, 0, 0, 0, 3}, child: []int32{0, 1, 2}, label: none}
	_, err = s.Run(context.Background(), g, [][]exec.Array{tree.inputs()})
	assert.ErrorIs(t, err, ops.ErrIndex)
}

// childSum returns the state of node i.
func childSum(w weights, t general, i int32) memory {
	x := row(w["E"], t.word[i], embed)
	sum, c := make([]float64, hidden), make([]float64, hidden)
	for _, k := range t.children(i) {
		child := childSum(w, t, k)
		sum = add(sum, child.h)
		c = add(c, mul(sigmoid(w.gate("f", x, child.h)), child.c))
	}
	c = add(c, mul(sigmoid(w.gate("i", x, sum)), tanh(w.gate("u", x, sum))))
	return remember(w.gate("o", x, sum), c)
}

func TestChildSumEquations(t *testing.T) {
	trees := generals(4, 3, false)
	scores := []float32{1, 5, 2.25, 3.5}
	e := equations{
		build: func(m *graph.Module) *graph.Graph {
			return models.NewChildSum(m, models.ChildSumConfig{
				Vocab: words, Embed: embed, Hidden: hidden, Similarity: attention, Classes: classes}).Graph()
		},
		run: func(w weights, i int) (p []float64, loss float64) {
			a := childSum(w, trees[i], int32(len(trees[i].word)-1)).h
			b := childSum(w, trees[i+1], int32(len(trees[i+1].word)-1)).h
			distance := make([]float64, hidden)
			for k := range distance {
				distance[k] = math.Abs(a[k] - b[k])
			}
			hs := sigmoid(add(matVec(w["Wx"], mul(a, b)), w.linear("Wp", "b", distance)))
			p = softmax(w.linear("Wp2", "b2", hs))
			// The score y lies between the whole scores below and below + 1.
			below := math.Floor(float64(scores[i]))
			above := float64(scores[i]) - below
			target := make([]float64, classes+1)
			target[int(below)-1], target[int(below)] = 1-above, above
			for k, q := range target {
				if q > 0 {
					loss += q * math.Log(q/p[k])
				}
			}
			return p, loss
		},
	}
	for i, score := range scores {
		pair := append(trees[i].inputs()[:3], trees[i+1].inputs()[:3]...)
		e.inputs = append(e.inputs, append(pair, exec.Array{F: []float32{score}}))
	}
	e.check(t)
}

// star is a root with n children.
func star(n int) general {
	var t general
	for i := range int32(n) {
		t.word, t.label, t.start, t.child = append(t.word, i%words), append(t.label, 0), append(t.start, 0), append(t.child, i)
	}
	return general{append(t.word, 0), append(t.start, 0, int32(n)), t.child, append(t.label, 0)}
}

// Nodes share their products whatever the number of their children: trees of different
// arities take no more batches than one tree of the highest.
func TestTreesOfAllAritiesAreExecutedTogether(t *testing.T) {
	for name, build := range map[string]func(m *graph.Module) *graph.Graph{
		"treegru": func(m *graph.Module) *graph.Graph {
			return models.NewTreeGRU(m, models.TreeGRUConfig{Vocab: words, Embed: embed, Hidden: hidden, Classes: classes}).Graph()
		},
		"narytreelstm": func(m *graph.Module) *graph.Graph { return naryTreeLSTM(m, 5) },
	} {
		m := graph.NewModule(name)
		g := build(m)
		p, err := m.Build()
		require.NoError(t, err)
		batches := func(trees ...general) int64 {
			s, err := exec.New(p, exec.Options{Workers: 1})
			require.NoError(t, err)
			var inputs [][]exec.Array
			for _, tree := range trees {
				inputs = append(inputs, tree.inputs())
			}
			_, err = s.Run(context.Background(), g, inputs)
			require.NoError(t, err)
			return s.Stats().FloatBatches
		}
		assert.Equal(t, batches(star(5)), batches(star(1), star(2), star(3), star(4), star(5)), name)
	}
}
