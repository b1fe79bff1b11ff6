package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// WordTree is a binary tree with a word at every node.
type WordTree struct {
	Word        graph.Value // [?] of every node
	Left, Right graph.Value // [?] the children; both negative at a leaf
}

// Translation is a tree and the sequence of words that it stands for, with EndOfSequence
// as the last.
type Translation struct {
	Tree   WordTree
	Target graph.Value // [?]
}

// Query is a tree of which a sequence is wanted, with Limit words at most.
type Query struct {
	Tree  WordTree
	Limit graph.Value
}

// EndOfSequence is the word behind the last, and before the first, of a sequence.
const EndOfSequence = 0

// TreeToSequenceConfig holds the sizes of a network that turns trees into sequences.
type TreeToSequenceConfig struct {
	Vocab   int // words of trees
	Embed   int // elements of a word vector
	Hidden  int // elements of h and of c
	Outputs int // words of sequences, EndOfSequence among them
}

// TreeToSequence turns trees into sequences, with two graphs that share its variables.
type TreeToSequence struct {
	// Train compares with given sequences: the loss is the sum of the cross-entropies
	// of their words, each predicted from those before, and the result how many of
	// them were the most probable.
	Train *recursion.SubGraph[Translation, graph.Value]
	// Decode returns the words, each the most probable after those before, until
	// EndOfSequence, which is the last then, or until there are Limit words.
	Decode *recursion.SubGraph[Query, graph.Value]
}

// NewTreeToSequence adds a network of the kind of Eriguchi, Hashimoto and Tsuruoka (ACL
// 2016, section 3). The encoder is the Tree-LSTM of Tai, Socher and Manning (ACL 2015,
// section 3.2, N = 2) with a word at every node:
//
//	[i fl fr o u] = W x + U [hl hr] + b     with x the row of E of the word
//	c = σ(i) ⊙ tanh(u) + σ(fl) ⊙ cl + σ(fr) ⊙ cr     h = σ(o) ⊙ tanh(c)
//
// where the children of a leaf have h and c zero. The decoder begins with h and c of the
// root and a = 0; for each word j, over all nodes i of the tree:
//
//	s, sc    = LSTMd([D[yj-1] a], s, sc)     yj-1 the word before
//	αi       = exp(hi·s) / Σk exp(hk·s)      d = Σ αi hi
//	a        = tanh(Wa [s d] + ba)           p(yj) = softmax(Wo a + bo)
//
// LSTMd is that of LSTMCell. In the paper words come from an LSTM along the sentence
// before the tree is built over them, and the decoder begins with the last state of
// that LSTM, too.
func NewTreeToSequence(m *graph.Module, c TreeToSequenceConfig) TreeToSequence {
	graph.Helper()
	t := &treeToSequence{
		module:  m,
		config:  c,
		encoder: newTreeEncoder(m, c),
		words:   NewEmbedding(m, "D", c.Outputs, c.Embed),
		cell:    NewLSTMCell(m, "d", c.Embed+c.Hidden, c.Hidden),
		mix:     NewLinear(m, "Wa", "ba", 2*c.Hidden, c.Hidden),
		output:  NewLinear(m, "Wo", "bo", c.Hidden, c.Outputs),
	}
	return TreeToSequence{Train: t.train(), Decode: t.decode()}
}

type treeToSequence struct {
	module      *graph.Module
	config      TreeToSequenceConfig
	encoder     *recursion.SubGraph[WordTree, encodedTree]
	words       Embedding
	cell        LSTMCell
	mix, output Linear
}

// decoding is the state of the decoder between words.
type decoding struct {
	Word      graph.Value // the last
	State     LSTMState
	Attending graph.Value // a, which the next step reads beside the word
}

func (t *treeToSequence) start(tree encodedTree) decoding {
	return decoding{t.module.Int(EndOfSequence), tree.Root, t.module.Full(0, t.config.Hidden)}
}

// next returns the decoder's state and the logits of the next word.
func (t *treeToSequence) next(tree encodedTree, d decoding) (LSTMState, graph.Value, graph.Value) {
	s := t.cell.Apply(ops.Concat(t.words.Apply(d.Word), d.Attending), d.State)
	weights := ops.Softmax(ops.Dot(tree.H, s.H))
	a := ops.Tanh(t.mix.Apply(ops.Concat(s.H, ops.WeightedSum(weights, tree.H))))
	return s, a, t.output.Apply(a)
}

func (t *treeToSequence) train() *recursion.SubGraph[Translation, graph.Value] {
	in := Translation{Tree: wordTreeSpec(), Target: graph.I32(graph.Any)}
	model := recursion.Declare(t.module, "train", in, graph.I32())
	return model.Define(func(in Translation) graph.Value {
		type progress struct {
			Decoding decoding
			Right    graph.Value
		}
		tree := t.encoder.Invoke(in.Tree)
		end := recursion.Fold(in.Target, progress{t.start(tree), t.module.Int(0)}, func(p progress, word graph.Value) progress {
			s, a, logits := t.next(tree, p.Decoding)
			recursion.Loss(ops.CrossEntropy(logits, word))
			hit := ops.Cast(ops.Equal(ops.ArgMax(logits, 0), word), graph.Int32)
			return progress{decoding{word, s, a}, ops.Add(p.Right, hit)}
		})
		return end.Right
	})
}

func (t *treeToSequence) decode() *recursion.SubGraph[Query, graph.Value] {
	m := t.module
	in := Query{Tree: wordTreeSpec(), Limit: graph.I32()}
	model := recursion.Declare(m, "decode", in, graph.I32(graph.Any))
	return model.Define(func(in Query) graph.Value {
		type progress struct {
			Decoding decoding
			Words    graph.Value
			Ended    graph.Value
		}
		tree := t.encoder.Invoke(in.Tree)
		begin := progress{t.start(tree), ops.Range(m.Int(0)), m.True(false)}
		end := recursion.Loop(begin, func(p progress) graph.Value {
			return ops.And(ops.Not(p.Ended), ops.Less(ops.Len(p.Words), in.Limit))
		}, func(p progress) progress {
			s, a, logits := t.next(tree, p.Decoding)
			word := ops.ArgMax(logits, 0)
			return progress{decoding{word, s, a}, ops.Join(p.Words, ops.List(word)), ops.Equal(word, m.Int(EndOfSequence))}
		})
		return end.Words
	})
}
