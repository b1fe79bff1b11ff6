package corpus

import (
	"math"
	"math/rand/v2"
)

// A Shape says where the leaves of a subtree are divided: into k on the left and
// n-k on the right, 1 <= k < n.
type Shape func(rng *rand.Rand, n int) (k int)

// Balanced halves; the depth is logarithmic.
func Balanced(_ *rand.Rand, n int) int { return n / 2 }

// Moderate divides anywhere with equal chances.
func Moderate(rng *rand.Rand, n int) int { return 1 + rng.IntN(n-1) }

// Linear splits one leaf off; the depth is the number of leaves less one.
func Linear(_ *rand.Rand, n int) int { return n - 1 }

// The sizes of the treebank, which generated trees have as well.
const (
	vocabulary = 18280
	classes    = 5
)

// Generate makes count trees of the given number of leaves, with words and labels
// drawn uniformly.
func Generate(name string, count, leaves int, shape Shape) *Corpus {
	rng := rand.New(rand.NewPCG(uint64(count), uint64(leaves)))
	c := &Corpus{Name: name, Vocab: vocabulary, Classes: classes}
	for range count {
		c.Trees = append(c.Trees, build(rng, leaves, shape, func() int32 { return int32(rng.IntN(vocabulary)) }))
	}
	return c
}

// sentenceLengths are the quantiles, in steps of a twentieth, of the numbers of
// leaves in the training part of the treebank.
var sentenceLengths = [...]float64{2, 5, 7, 9, 11, 12, 13, 15, 16, 17, 18, 20, 21, 22, 24, 25, 27, 29, 32, 35, 52}

// GenerateSentences makes trees that resemble those of the treebank: in their
// numbers of leaves, and in that few words are frequent and most are rare.
func GenerateSentences(count int) *Corpus {
	rng := rand.New(rand.NewPCG(uint64(count), 0))
	zipf := rand.NewZipf(rng, 1.1, 8, vocabulary-1)
	c := &Corpus{Name: "sentences", Vocab: vocabulary, Classes: classes}
	for range count {
		at, part := math.Modf(rng.Float64() * float64(len(sentenceLengths)-1))
		lo, hi := sentenceLengths[int(at)], sentenceLengths[int(at)+1]
		leaves := int(math.Round(lo + part*(hi-lo)))
		c.Trees = append(c.Trees, build(rng, leaves, Moderate, func() int32 { return int32(zipf.Uint64()) }))
	}
	return c
}

// build makes one tree. It keeps a stack of subtrees to be made, since a linear
// tree may be deep.
func build(rng *rand.Rand, leaves int, shape Shape, word func() int32) *Tree {
	t := new(Tree)
	add := func(word, left, right int32) {
		t.Word, t.Left, t.Right = append(t.Word, word), append(t.Left, left), append(t.Right, right)
		t.Label = append(t.Label, int32(rng.IntN(classes)))
	}
	type task struct {
		leaves int
		join   bool // the children have been made
	}
	var done []int32 // subtrees without a parent yet
	for stack := []task{{leaves: leaves}}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case top.join:
			n := len(done)
			add(0, done[n-2], done[n-1])
			done = done[:n-2]
		case top.leaves == 1:
			add(word(), -1, -1)
		default:
			k := shape(rng, top.leaves)
			stack = append(stack, task{join: true}, task{leaves: top.leaves - k}, task{leaves: k})
			continue
		}
		done = append(done, int32(t.Len()-1))
	}
	return t
}
