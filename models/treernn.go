package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// TreeRNNConfig holds the sizes of a recursive network whose states are as long as
// its word vectors.
type TreeRNNConfig struct {
	Vocab   int // words
	Hidden  int // elements of a word vector and of h
	Classes int
}

// NewTreeRNN adds the recursive neural network of Socher et al. (EMNLP 2013,
// section 4.1):
//
//	leaf    h = x
//	inner   h = tanh(W [hl hr] + b)
//
// x is the row of E of the leaf's word. See Classify for what is made of h.
func NewTreeRNN(m *graph.Module, c TreeRNNConfig) *recursion.SubGraph[BinaryTree, Scores] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Hidden)
	inner := NewLinear(m, "W", "b", 2*c.Hidden, c.Hidden)

	return Classify(m, "treernn", c.Hidden, c.Classes, Cell[graph.Value]{
		State: graph.F32(c.Hidden),
		Leaf:  embedding.Apply,
		Join: func(l, r graph.Value) graph.Value {
			return ops.Tanh(inner.Apply(ops.Concat(l, r)))
		},
		Hidden: func(h graph.Value) graph.Value { return h },
	})
}
