package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// TreeLSTMConfig holds the sizes of a binary Tree-LSTM.
type TreeLSTMConfig struct {
	Vocab   int // words
	Embed   int // elements of a word vector
	Hidden  int // elements of h and of c
	Classes int
	Dropout float64 // of word vectors, and of h where classes are told from it; see ops.Dropout
}

// TreeLSTMCell is the binary Tree-LSTM of Tai, Socher and Manning (ACL 2015,
// section 3.2, equations 9-14 with N = 2) with words at the leaves only:
//
//	leaf    [i o u]       = W x + bW         c = σ(i) ⊙ tanh(u)
//	inner   [i fl fr o u] = U [hl hr] + bU   c = σ(i) ⊙ tanh(u) + σ(fl) ⊙ cl + σ(fr) ⊙ cr
//	both    h = σ(o) ⊙ tanh(c)
//
// Since no node has both a word and children, leaves and inner nodes have biases of
// their own, where the paper has one for both.
type TreeLSTMCell struct{ Word, Children Linear } // [3·hidden in], [5·hidden 2·hidden]

// NewTreeLSTMCell adds the variables of a cell, whose names end with the suffix.
func NewTreeLSTMCell(m *graph.Module, suffix string, in, hidden int) TreeLSTMCell {
	graph.Helper()
	return TreeLSTMCell{
		Word:     NewLinear(m, "W"+suffix, "bW"+suffix, in, 3*hidden),
		Children: NewLinear(m, "U"+suffix, "bU"+suffix, 2*hidden, 5*hidden),
	}
}

// Leaf returns the state of a leaf from its word vector x [in].
func (c TreeLSTMCell) Leaf(x graph.Value) LSTMState {
	g := ops.Split(c.Word.Apply(x), 3)
	i, o, u := ops.Sigmoid(g[0]), ops.Sigmoid(g[1]), ops.Tanh(g[2])
	return lstmState(o, ops.Mul(i, u))
}

// Join returns the state of a node from those of its children.
func (c TreeLSTMCell) Join(l, r LSTMState) LSTMState {
	g := ops.Split(c.Children.Apply(ops.Concat(l.H, r.H)), 5)
	i, fl, fr, o, u := ops.Sigmoid(g[0]), ops.Sigmoid(g[1]), ops.Sigmoid(g[2]), ops.Sigmoid(g[3]), ops.Tanh(g[4])
	return lstmState(o, ops.Add(ops.Mul(i, u), ops.Mul(fl, l.C), ops.Mul(fr, r.C)))
}

// NewTreeLSTM adds the network of a TreeLSTMCell, in which x is the row of E of the
// leaf's word. See Classify for what is made of h.
func NewTreeLSTM(m *graph.Module, c TreeLSTMConfig) *recursion.SubGraph[BinaryTree, Scores] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Embed)
	cell := NewTreeLSTMCell(m, "", c.Embed, c.Hidden)

	return Classify(m, "treelstm", c.Hidden, c.Classes, Cell[LSTMState]{
		State: lstmStateOf(c.Hidden),
		Leaf: func(word graph.Value) LSTMState {
			return cell.Leaf(Dropout(embedding.Apply(word), c.Dropout))
		},
		Join:   cell.Join,
		Hidden: func(s LSTMState) graph.Value { return Dropout(s.H, c.Dropout) },
	})
}
