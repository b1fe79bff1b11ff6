package models_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

var tdConfig = models.TDTreeLSTMConfig{Vocab: words, Embed: embed, Hidden: hidden}

// tdTree is a tree of nodes, as a TDTree is one of lists.
type tdTree struct {
	word              int32
	left, right, next *tdTree
}

// The kinds of edges, named as the variables are.
var edgeNames = []string{"l", "r", "nl", "nr"}

// lstm is models.LSTMCell with the given suffix.
func (w weights) lstm(suffix string, x []float64, s memory) memory {
	g := w.gate(suffix, x, s.h)
	return remember(block(g, 2, 4), add(
		mul(sigmoid(block(g, 0, 4)), tanh(block(g, 3, 4))), mul(sigmoid(block(g, 1, 4)), s.c)))
}

// tdStep follows an edge and returns the state at its end with the logits of the words.
func (w weights) tdStep(kind int, word int32, from memory) (memory, []float64) {
	s := w.lstm(edgeNames[kind], row(w["E"], word, embed), from)
	return s, w.linear("Who", "bho", s.h)
}

// tdAdd is the scores of all four kinds of edges.
func (w weights) tdAdd(s memory, word int32) []float64 {
	return w.linear("Wadd", "badd", concat(s.h, row(w["E"], word, embed)))
}

// minusLogSigmoid is -log σ(x).
func minusLogSigmoid(x float64) float64 { return math.Log(1 + math.Exp(-x)) }

// tdRoot is what is before the first word.
func tdRoot() memory { return memory{make([]float64, hidden), make([]float64, hidden)} }

// tdScore is -log p of the tree to which an edge leads.
func (w weights) tdScore(t *tdTree, kind int, word int32, from memory) float64 {
	s, logits := w.tdStep(kind, word, from)
	loss := crossEntropy(logits, t.word)
	scores := w.tdAdd(s, t.word)
	for k, child := range map[int]*tdTree{0: t.left, 1: t.right, 2 + kind%2: t.next} {
		if child == nil {
			loss += minusLogSigmoid(-scores[k])
			continue
		}
		loss += minusLogSigmoid(scores[k]) + w.tdScore(child, k, t.word, s)
	}
	return loss
}

// tdLists is the lists of a tree.
type tdLists struct{ Word, Left, Right, Next []int32 }

func (l *tdLists) add(t *tdTree) int32 {
	if t == nil {
		return -1
	}
	left, right, next := l.add(t.left), l.add(t.right), l.add(t.next)
	l.Word, l.Left = append(l.Word, t.word), append(l.Left, left)
	l.Right, l.Next = append(l.Right, right), append(l.Next, next)
	return int32(len(l.Word) - 1)
}

func (l *tdLists) arrays() []exec.Array {
	return []exec.Array{ints(l.Word), ints(l.Left), ints(l.Right), ints(l.Next)}
}

func randomTDTree(rng *rand.Rand, nodes int) *tdTree {
	if nodes == 0 {
		return nil
	}
	left := rng.IntN(nodes)
	right := rng.IntN(nodes - left)
	return &tdTree{rng.Int32N(words), randomTDTree(rng, left), randomTDTree(rng, right), randomTDTree(rng, nodes-1-left-right)}
}

// tdTrees is trees of various sizes, and their lists.
func tdTrees(seed uint64) (trees []*tdTree, lists []tdLists) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, nodes := range []int{1, 2, 4, 9} {
		t := randomTDTree(rng, nodes)
		var l tdLists
		l.add(t)
		trees, lists = append(trees, t), append(lists, l)
	}
	return trees, lists
}

func TestTDTreeLSTMScoreEquations(t *testing.T) {
	trees, lists := tdTrees(4)
	var inputs [][]exec.Array
	for _, l := range lists {
		inputs = append(inputs, l.arrays())
	}
	equations{
		build:  func(m *graph.Module) *graph.Graph { return models.NewTDTreeLSTM(m, tdConfig).Score.Graph() },
		inputs: inputs,
		run: func(w weights, i int) ([]float64, float64) {
			return nil, w.tdScore(trees[i], 1, words, tdRoot())
		},
	}.check(t)
}
