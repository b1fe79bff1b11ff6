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

// LSTMState is what an LSTM hands on: its output and its memory cell.
type LSTMState struct{ H, C graph.Value } // [hidden]

// NewTreeLSTM adds the binary Tree-LSTM of Tai, Socher and Manning (ACL 2015,
// section 3.2, equations 9-14 with N = 2) with words at the leaves only:
//
//	leaf    [i o u]       = W x + bW         c = σ(i) ⊙ tanh(u)
//	inner   [i fl fr o u] = U [hl hr] + bU   c = σ(i) ⊙ tanh(u) + σ(fl) ⊙ cl + σ(fr) ⊙ cr
//	both    h = σ(o) ⊙ tanh(c)
//
// x is the row of E of the leaf's word. See Classify for what is made of h.
func NewTreeLSTM(m *graph.Module, c TreeLSTMConfig) *recursion.SubGraph[BinaryTree, Scores] {
	graph.Helper()
	embedding := newEmbedding(m, "E", c.Vocab, c.Embed)
	leaf := newAffine(m, "W", "bW", c.Embed, 3*c.Hidden)
	inner := newAffine(m, "U", "bU", 2*c.Hidden, 5*c.Hidden)

	return Classify(m, "treelstm", c.Hidden, c.Classes, Cell[LSTMState]{
		State: LSTMState{H: graph.F32(c.Hidden), C: graph.F32(c.Hidden)},
		Leaf: func(word graph.Value) LSTMState {
			x := dropout(ops.At(embedding, word), c.Dropout)
			g := ops.Split(leaf.of(x), 3)
			i, o, u := ops.Sigmoid(g[0]), ops.Sigmoid(g[1]), ops.Tanh(g[2])
			return lstmState(o, ops.Mul(i, u))
		},
		Join: func(l, r LSTMState) LSTMState {
			g := ops.Split(inner.of(ops.Concat(l.H, r.H)), 5)
			i, fl, fr, o, u := ops.Sigmoid(g[0]), ops.Sigmoid(g[1]), ops.Sigmoid(g[2]), ops.Sigmoid(g[3]), ops.Tanh(g[4])
			return lstmState(o, ops.Add(ops.Mul(i, u), ops.Mul(fl, l.C), ops.Mul(fr, r.C)))
		},
		Hidden: func(s LSTMState) graph.Value { return dropout(s.H, c.Dropout) },
	})
}

// lstmState is the state after the memory cell became c, with output gate o.
func lstmState(o, c graph.Value) LSTMState {
	return LSTMState{H: ops.Mul(o, ops.Tanh(c)), C: c}
}
