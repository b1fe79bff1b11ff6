package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// TreeGRUCell is the Child-Sum Tree-GRU of Zhou, Liu and Pan (COLING 2016), without
// its attention. At a node with children k, Σ over k:
//
//	z  = σ(Wz x + Uz Σ hk + bz)      rk = σ(Wr x + Ur hk + br)
//	u  = tanh(Wc x + Uc Σ (rk ⊙ hk) + bc)
//	h  = z ⊙ Σ hk + (1 - z) ⊙ u
//
// With one child it is the cell of NewGRU.
type TreeGRUCell struct{ Keep, Reset, Update Gate }

// NewTreeGRUCell adds the variables of a cell, whose names end with the suffix.
func NewTreeGRUCell(m *graph.Module, suffix string, in, hidden int) TreeGRUCell {
	graph.Helper()
	return TreeGRUCell(NewGRUCell(m, suffix, in, hidden))
}

// Node returns h [hidden] of a node from its word vector x [in] and the list of those
// of its children, [? hidden].
func (c TreeGRUCell) Node(x, children graph.Value) graph.Value {
	sum := ops.Sum(children, 0)
	z := ops.Sigmoid(c.Keep.Apply(x, sum))
	r := ops.Sigmoid(c.Reset.ApplyEach(x, children))
	u := ops.Tanh(c.Update.Apply(x, ops.Sum(ops.Mul(r, children), 0)))
	return interpolate(z, sum, u)
}

// TreeGRUConfig holds the sizes of a Tree-GRU.
type TreeGRUConfig struct {
	Vocab   int // words
	Embed   int // elements of a word vector
	Hidden  int // elements of h
	Classes int
	Dropout float64 // of word vectors, and of h where classes are told from it; see ops.Dropout
}

// NewTreeGRU adds the network of a TreeGRUCell over trees of any arity. x is the row of
// E of the node's word, and 0 where Word is negative. See ClassifyTree for what is made
// of h.
func NewTreeGRU(m *graph.Module, c TreeGRUConfig) *recursion.SubGraph[LabelledTree, Scores] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Embed)
	cell := NewTreeGRUCell(m, "", c.Embed, c.Hidden)

	return ClassifyTree(m, "treegru", c.Hidden, c.Classes, NodeCell[graph.Value]{
		State: graph.F32(c.Hidden),
		Node: func(word, children graph.Value, subtree *recursion.SubGraph[graph.Value, graph.Value]) graph.Value {
			x := recursion.If(ops.Less(word, m.Int(0)), func() graph.Value {
				return m.Full(0, c.Embed)
			}, func() graph.Value {
				return Dropout(embedding.Apply(word), c.Dropout)
			})
			return cell.Node(x, recursion.Map(children, subtree.Invoke))
		},
		Hidden: func(h graph.Value) graph.Value { return Dropout(h, c.Dropout) },
	})
}
