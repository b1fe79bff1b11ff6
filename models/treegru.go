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
// The blocks of W and b are those of z, r and c. With one child it is a GRUCell.
type TreeGRUCell struct {
	Word                Linear      // [3·hidden in]
	Keep, Reset, Update graph.Value // Uz, Ur, Uc [hidden hidden]
}

// NewTreeGRUCell adds the variables of a cell, whose names end with the suffix.
func NewTreeGRUCell(m *graph.Module, suffix string, in, hidden int) TreeGRUCell {
	graph.Helper()
	square := graph.F32(hidden, hidden)
	return TreeGRUCell{
		Word:   NewLinear(m, "W"+suffix, "b"+suffix, in, 3*hidden),
		Keep:   m.Var("Uz"+suffix, square, graph.Xavier()),
		Reset:  m.Var("Ur"+suffix, square, graph.Xavier()),
		Update: m.Var("Uc"+suffix, square, graph.Xavier()),
	}
}

// Leaf returns h [hidden] of a node without children: word [3·hidden] is W x + b.
func (c TreeGRUCell) Leaf(word graph.Value) graph.Value {
	g := ops.Split(word, 3)
	keep := ops.Sigmoid(g[0])
	return ops.Mul(ops.Sub(word.Module().Float(1), keep), ops.Tanh(g[2]))
}

// Join returns h [hidden] of a node from the list of those of its children: word
// [3·hidden] is W x + b, children [? hidden].
func (c TreeGRUCell) Join(word, children graph.Value) graph.Value {
	g := ops.Split(word, 3)
	sum := ops.Sum(children, 0)
	z := ops.Sigmoid(ops.Add(g[0], ops.MatVec(c.Keep, sum)))
	r := ops.Sigmoid(ops.Add(ops.MatVec(c.Reset, children), g[1]))
	u := ops.Tanh(ops.Add(g[2], ops.MatVec(c.Update, ops.Sum(ops.Mul(r, children), 0))))
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
			input := inputOf(cell.Word, word, embedding, c.Dropout)
			return recursion.If(ops.Equal(ops.Len(children), m.Int(0)), func() graph.Value {
				return cell.Leaf(input)
			}, func() graph.Value {
				return cell.Join(input, recursion.Map(children, subtree.Invoke))
			})
		},
		Hidden: func(h graph.Value) graph.Value { return Dropout(h, c.Dropout) },
	})
}
