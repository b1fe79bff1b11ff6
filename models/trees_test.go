package models_test

import (
	"math/rand/v2"
	"testing"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
)

// Sizes of the models under test, no two of which are equal.
const (
	words     = 6
	embed     = 3
	hidden    = 4
	classes   = 5
	attention = 2
)

// binary is an input of the models over binary trees; label -1 stands for none.
type binary struct{ word, left, right, label []int32 }

// randomBinary joins neighbouring trees at random until one is left.
func randomBinary(rng *rand.Rand, leaves int) binary {
	var t binary
	add := func(word, left, right int32) int32 {
		t.word, t.left, t.right = append(t.word, word), append(t.left, left), append(t.right, right)
		t.label = append(t.label, rng.Int32N(classes+1)-1)
		return int32(len(t.word)) - 1
	}
	var roots []int32
	for range leaves {
		roots = append(roots, add(rng.Int32N(words), -1, -1))
	}
	for len(roots) > 1 {
		i := rng.IntN(len(roots) - 1)
		roots[i] = add(-1, roots[i], roots[i+1])
		roots = append(roots[:i+1], roots[i+2:]...)
	}
	return t
}

func binaries(seed uint64) (trees []binary, inputs [][]exec.Array) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, leaves := range []int{1, 2, 5, 8} {
		t := randomBinary(rng, leaves)
		trees = append(trees, t)
		inputs = append(inputs, []exec.Array{ints(t.word), ints(t.left), ints(t.right), ints(t.label)})
	}
	return trees, inputs
}

func ints(x []int32) exec.Array { return exec.Array{Shape: []int{len(x)}, I: x} }

// binaryCell is a models.Cell in plain Go.
type binaryCell[S any] struct {
	leaf   func(w weights, word int32) S
	join   func(w weights, l, r S) S
	hidden func(S) []float64
}

// state computes node i.
func (c binaryCell[S]) state(w weights, t binary, i int32, visit func(i int32, s S)) S {
	var s S
	if t.left[i] < 0 {
		s = c.leaf(w, t.word[i])
	} else {
		l := c.state(w, t, t.left[i], visit)
		s = c.join(w, l, c.state(w, t, t.right[i], visit))
	}
	visit(i, s)
	return s
}

// classify is models.Classify.
func (c binaryCell[S]) classify(w weights, t binary) (logits []float64, loss float64) {
	c.state(w, t, int32(len(t.word)-1), func(i int32, s S) {
		logits = w.linear("Ws", "bs", c.hidden(s))
		loss += crossEntropy(logits, t.label[i])
	})
	return logits, loss
}

// check compares a model that classifies the nodes of binary trees.
func (c binaryCell[S]) check(t *testing.T, build func(m *graph.Module) *graph.Graph) {
	t.Helper()
	trees, inputs := binaries(3)
	equations{build, inputs, func(w weights, i int) ([]float64, float64) { return c.classify(w, trees[i]) }}.check(t)
}
