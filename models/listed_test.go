package models_test

import (
	"math/rand/v2"
	"slices"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// listed is a model of docs/models.md at the size that is stated there.
type listed struct {
	name   string // of the constructor
	file   string
	build  func(m *graph.Module) *graph.Graph
	inputs func(c *corpus.Corpus) [][]exec.Array // one for each tree
}

// The sizes of docs/models.md.
const (
	listedVocab     = 18280
	listedEmbed     = 300
	listedHidden    = 150
	listedShort     = 25 // hidden elements where products grow faster than their square
	listedClasses   = 5
	listedAttention = 50
	listedTrack     = 50
	listedOutputs   = 1000
)

var listedModels = []listed{
	{"NewTreeRNN", "treernn.go", func(m *graph.Module) *graph.Graph {
		return models.NewTreeRNN(m, models.TreeRNNConfig{Vocab: listedVocab, Hidden: listedShort, Classes: listedClasses}).Graph()
	}, binaryInputs},
	{"NewRNTN", "rntn.go", func(m *graph.Module) *graph.Graph {
		return models.NewRNTN(m, models.TreeRNNConfig{Vocab: listedVocab, Hidden: listedShort, Classes: listedClasses}).Graph()
	}, binaryInputs},
	{"NewMVRNN", "mvrnn.go", func(m *graph.Module) *graph.Graph {
		return models.NewMVRNN(m, models.MVRNNConfig{Vocab: listedVocab, Hidden: listedShort, Rank: 3, Classes: listedClasses}).Graph()
	}, binaryInputs},
	{"NewTreeLSTM", "treelstm.go", func(m *graph.Module) *graph.Graph {
		return models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden, Classes: listedClasses}).Graph()
	}, binaryInputs},
	{"NewNaryTreeLSTM", "narytreelstm.go", func(m *graph.Module) *graph.Graph {
		return models.NewNaryTreeLSTM(m, models.NaryTreeLSTMConfig{
			Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden, Arity: 2, Classes: listedClasses}).Graph()
	}, generalInputs},
	{"NewTreeGRU", "treegru.go", func(m *graph.Module) *graph.Graph {
		return models.NewTreeGRU(m, models.TreeGRUConfig{Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden, Classes: listedClasses}).Graph()
	}, generalInputs},
	{"NewAttentiveTreeLSTM", "attention.go", func(m *graph.Module) *graph.Graph {
		return models.NewAttentiveTreeLSTM(m, models.AttentiveTreeLSTMConfig{
			Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden, Attention: listedAttention, Classes: listedClasses}).Graph()
	}, binaryInputs},
	{"NewChildSum", "childsum.go", func(m *graph.Module) *graph.Graph {
		return models.NewChildSum(m, models.ChildSumConfig{
			Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden, Similarity: 50, Classes: listedClasses}).Graph()
	}, pairInputs},
	{"NewLSTM", "lstm.go", func(m *graph.Module) *graph.Graph {
		return models.NewLSTM(m, models.LSTMConfig{Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden, Classes: listedClasses}).Graph()
	}, sequenceInputs},
	{"NewGRU", "gru.go", func(m *graph.Module) *graph.Graph {
		return models.NewGRU(m, models.GRUConfig{Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden}).Graph()
	}, chainInputs},
	{"NewTopDown", "topdown.go", func(m *graph.Module) *graph.Graph {
		return models.NewTopDown(m, models.TopDownConfig{Hidden: listedHidden, Out: listedClasses, MaxDepth: 6}).Graph()
	}, seedInputs},
	{"NewDAG", "dag.go", func(m *graph.Module) *graph.Graph {
		return models.NewDAG(m, models.DAGConfig{Leaves: listedVocab, Hidden: listedHidden}).Graph()
	}, dagInputs},
	{"NewSPINN", "spinn.go", func(m *graph.Module) *graph.Graph {
		return models.NewSPINN(m, models.SPINNConfig{
			Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden, Track: listedTrack, Classes: listedClasses}).Train.Graph()
	}, parsedInputs},
	{"NewTDTreeLSTM", "tdtreelstm.go", func(m *graph.Module) *graph.Graph {
		return models.NewTDTreeLSTM(m, models.TDTreeLSTMConfig{Vocab: listedOutputs, Embed: listedEmbed, Hidden: listedHidden}).Score.Graph()
	}, generatedInputs},
	{"NewTreeToSequence", "decoder.go", func(m *graph.Module) *graph.Graph {
		return models.NewTreeToSequence(m, models.TreeToSequenceConfig{
			Vocab: listedVocab, Embed: listedEmbed, Hidden: listedHidden, Outputs: listedOutputs}).Train.Graph()
	}, translationInputs},
}

// inputsOf makes an input of each tree.
func inputsOf(c *corpus.Corpus, of func(rng *rand.Rand, t *corpus.Tree) []exec.Array) (all [][]exec.Array) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, t := range c.Trees {
		all = append(all, of(rng, t))
	}
	return all
}

func binaryInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(_ *rand.Rand, t *corpus.Tree) []exec.Array {
		return []exec.Array{ints(t.Word), ints(t.Left), ints(t.Right), ints(t.Label)}
	})
}

// generalInputs are the same trees in the form that allows for any arity.
func generalInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(_ *rand.Rand, t *corpus.Tree) []exec.Array {
		g := general{start: []int32{0}, label: t.Label}
		for i, left := range t.Left {
			word := t.Word[i]
			if left >= 0 {
				word = -1
				g.child = append(g.child, left, t.Right[i])
			}
			g.word, g.start = append(g.word, word), append(g.start, int32(len(g.child)))
		}
		return g.inputs()
	})
}

// leaves are the words of a sentence.
func leaves(t *corpus.Tree) (words []int32) {
	for i, left := range t.Left {
		if left < 0 {
			words = append(words, t.Word[i])
		}
	}
	return words
}

// dependencies hangs every word but the last below one of the eight behind it.
func dependencies(rng *rand.Rand, words []int32) []exec.Array {
	n := len(words)
	children := make([][]int32, n)
	for i := range n - 1 {
		head := i + 1 + rng.IntN(min(8, n-1-i))
		children[head] = append(children[head], int32(i))
	}
	start, child := []int32{0}, []int32{}
	for _, c := range children {
		child = append(child, c...)
		start = append(start, int32(len(child)))
	}
	return []exec.Array{ints(words), ints(start), ints(child)}
}

// pairInputs pairs each sentence with the same words under other heads.
func pairInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(rng *rand.Rand, t *corpus.Tree) []exec.Array {
		pair := append(dependencies(rng, leaves(t)), dependencies(rng, leaves(t))...)
		return append(pair, exec.Array{F: []float32{1 + 4*rng.Float32()}})
	})
}

func sequenceInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(_ *rand.Rand, t *corpus.Tree) []exec.Array {
		return []exec.Array{ints(leaves(t)), {I: t.Label[t.Len()-1:]}}
	})
}

func chainInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(rng *rand.Rand, t *corpus.Tree) []exec.Array {
		return []exec.Array{ints(leaves(t)), randomVector(rng, listedHidden)}
	})
}

func randomVector(rng *rand.Rand, n int) exec.Array {
	x := make([]float32, n)
	for i := range x {
		x[i] = 2*rng.Float32() - 1
	}
	return exec.Array{Shape: []int{n}, F: x}
}

// seedInputs have nothing of the trees but their number.
func seedInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(rng *rand.Rand, _ *corpus.Tree) []exec.Array {
		return []exec.Array{randomVector(rng, listedHidden), randomVector(rng, listedClasses)}
	})
}

// dagInputs let inner nodes share an operand here and there.
func dagInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(rng *rand.Rand, t *corpus.Tree) []exec.Array {
		left := make([]int32, t.Len())
		for i := range left {
			left[i] = t.Left[i]
			if left[i] > 0 && rng.IntN(4) == 0 {
				left[i] = rng.Int32N(left[i])
			}
		}
		return []exec.Array{ints(t.Word), ints(left), ints(t.Right), randomVector(rng, listedHidden)}
	})
}

// parsedInputs are the transitions that make the trees.
func parsedInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(_ *rand.Rand, t *corpus.Tree) []exec.Array {
		transition := make([]int32, t.Len())
		for i, left := range t.Left {
			transition[i] = models.Shift
			if left >= 0 {
				transition[i] = models.Reduce
			}
		}
		return []exec.Array{ints(leaves(t)), ints(transition), ints(t.Label)}
	})
}

// generatedInputs are trees with as many nodes as sentences have words, in which a node
// has a next dependent first, then one on the right, then one on the left.
func generatedInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(rng *rand.Rand, t *corpus.Tree) []exec.Array {
		n := t.Leaves()
		word, edges := make([]int32, n), [3][]int32{}
		for k := range edges {
			edges[k] = slices.Repeat([]int32{-1}, n)
		}
		used := make([]int, n)
		used[n-1] = 1 // the root comes after no dependent
		for i := n - 2; i >= 0; i-- {
			parent := i + 1 + rng.IntN(min(3, n-1-i))
			if used[parent] == len(edges) {
				parent = i + 1 // has no edge yet
			}
			edges[len(edges)-1-used[parent]][parent] = int32(i)
			used[parent]++
			word[i] = rng.Int32N(listedOutputs)
		}
		return []exec.Array{ints(word), ints(edges[0]), ints(edges[1]), ints(edges[2])}
	})
}

// translationInputs turn a tree into its own words.
func translationInputs(c *corpus.Corpus) [][]exec.Array {
	return inputsOf(c, func(_ *rand.Rand, t *corpus.Tree) []exec.Array {
		var target []int32
		for _, word := range leaves(t) {
			target = append(target, 1+word%(listedOutputs-1))
		}
		return []exec.Array{ints(t.Word), ints(t.Left), ints(t.Right), ints(append(target, models.EndOfSequence))}
	})
}
