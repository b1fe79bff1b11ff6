package models

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// NaryTreeLSTMCell is the N-ary Tree-LSTM of Tai, Socher and Manning (ACL 2015,
// section 3.2, equations 9-14), which knows the first child from the second. At a node
// with the children 1, ..., N, where those that a node does not have are 0:
//
//	i  = σ(Wi x + Σl Uil hl + bi)      o = σ(Wo x + Σl Uol hl + bo)
//	fk = σ(Wf x + Σl Ufkl hl + bf)     u = tanh(Wu x + Σl Uul hl + bu)
//	c  = i ⊙ u + Σl fl ⊙ cl            h = o ⊙ tanh(c)
//
// The blocks of W and b are those of i, f, o and u. The blocks of U are those of
// i, o, u and f1, ..., fN, with a column of blocks for each child: every forget gate
// reads every child, through matrices Ufkl of its own. As in the paper, Wf and bf are
// the same for all children.
type NaryTreeLSTMCell struct {
	Word     Linear      // [4·hidden in]
	Children graph.Value // U [(3+N)·hidden N·hidden]
}

// NewNaryTreeLSTMCell adds the variables W, b and U of a cell for at most n children;
// their names end with the suffix.
func NewNaryTreeLSTMCell(m *graph.Module, suffix string, in, hidden, n int) NaryTreeLSTMCell {
	graph.Helper()
	return NaryTreeLSTMCell{
		Word:     NewLinear(m, "W"+suffix, "b"+suffix, in, 4*hidden),
		Children: m.Var("U"+suffix, graph.F32((3+n)*hidden, n*hidden), graph.Xavier()),
	}
}

// Leaf returns the state of a node without children: word [4·hidden] is W x + b.
func (c NaryTreeLSTMCell) Leaf(word graph.Value) LSTMState {
	g := ops.Split(word, 4)
	i, o, u := ops.Sigmoid(g[0]), ops.Sigmoid(g[2]), ops.Tanh(g[3])
	return lstmState(o, ops.Mul(i, u))
}

// Join returns the state of a node with the N children: word [4·hidden] is W x + b.
func (c NaryTreeLSTMCell) Join(word graph.Value, children []LSTMState) LSTMState {
	h := make([]graph.Value, len(children))
	for k, child := range children {
		h[k] = child.H
	}
	g := ops.Split(word, 4)
	u := ops.Split(ops.MatVec(c.Children, ops.Concat(h...)), 3+len(children))
	input := ops.Sigmoid(ops.Add(g[0], u[0]))
	output := ops.Sigmoid(ops.Add(g[2], u[1]))
	update := ops.Tanh(ops.Add(g[3], u[2]))
	memory := ops.Mul(input, update)
	for k, child := range children {
		forget := ops.Sigmoid(ops.Add(g[1], u[3+k]))
		memory = ops.Add(memory, ops.Mul(forget, child.C))
	}
	return lstmState(output, memory)
}

// NaryTreeLSTMConfig holds the sizes of an N-ary Tree-LSTM.
type NaryTreeLSTMConfig struct {
	Vocab   int // words
	Embed   int // elements of a word vector
	Hidden  int // elements of h and of c
	Arity   int // N, the most children of a node
	Classes int
	Dropout float64 // of word vectors, and of h where classes are told from it; see ops.Dropout
}

// NewNaryTreeLSTM adds the network of a NaryTreeLSTMCell over trees whose nodes have at
// most N children. x is the row of E of the node's word, and 0 where Word is negative:
// in a constituency tree, say, at all nodes but the leaves. A node with more than N
// children is an error of the run. See ClassifyTree for what is made of h.
func NewNaryTreeLSTM(m *graph.Module, c NaryTreeLSTMConfig) *recursion.SubGraph[LabelledTree, Scores] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Embed)
	cell := NewNaryTreeLSTMCell(m, "", c.Embed, c.Hidden, c.Arity)

	return ClassifyTree(m, "narytreelstm", c.Hidden, c.Classes, NodeCell[LSTMState]{
		State: lstmStateOf(c.Hidden),
		Node: func(word, children graph.Value, subtree *recursion.SubGraph[graph.Value, LSTMState]) LSTMState {
			input := inputOf(cell.Word, word, embedding, c.Dropout)
			return recursion.If(ops.Equal(ops.Len(children), m.Int(0)), func() LSTMState {
				return cell.Leaf(input)
			}, func() LSTMState {
				return cell.Join(input, slots(children, c.Arity, subtree, zeroLSTMState(m, c.Hidden)))
			})
		},
		Hidden: func(s LSTMState) graph.Value { return Dropout(s.H, c.Dropout) },
	})
}

// slots returns the states of n children of a node that has one at least; those that it
// does not have are absent. More than n are an error of the run.
func slots[State any](children graph.Value, n int, subtree *recursion.SubGraph[graph.Value, State], absent State) []State {
	m := children.Module()
	var bodies []func() []State
	for present := 1; present <= n; present++ {
		bodies = append(bodies, func() []State {
			states := slices.Repeat([]State{absent}, n)
			for k := range present {
				states[k] = subtree.Invoke(ops.At(children, m.Int(k)))
			}
			return states
		})
	}
	return recursion.Switch(ops.Sub(ops.Len(children), m.Int(1)), bodies...)
}
