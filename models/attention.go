package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Attention weighs vectors by what is in them, as Yang et al. (NAACL 2016, section
// 2.2, equations 5-7) weigh words:
//
//	ui = tanh(Wa hi + ba)      ai = exp(ui·q) / Σj exp(uj·q)      s = Σi ai hi
type Attention struct {
	Layer Linear      // [attention hidden]
	Query graph.Value // q [attention]
}

// NewAttention adds the variables Wa, ba and q, followed by the suffix.
func NewAttention(m *graph.Module, suffix string, hidden, attention int) Attention {
	graph.Helper()
	return Attention{
		Layer: NewLinear(m, "Wa"+suffix, "ba"+suffix, hidden, attention),
		Query: m.Var("q"+suffix, graph.F32(attention), graph.Xavier()),
	}
}

// Apply returns the weights a and the sum s of a list that is not empty: hs [? hidden]
// -> [?], [hidden].
func (a Attention) Apply(hs graph.Value) (weights, sum graph.Value) {
	us := ops.Tanh(a.Layer.Apply(hs))
	weights = ops.Softmax(ops.Dot(us, a.Query))
	return weights, ops.WeightedSum(weights, hs)
}

// AttentiveTreeLSTMConfig holds the sizes of a Tree-LSTM that looks at all nodes of a tree.
type AttentiveTreeLSTMConfig struct {
	Vocab     int // words
	Embed     int // elements of a word vector
	Hidden    int // elements of h and of c
	Attention int // elements of the layer that weighs nodes
	Classes   int
	Dropout   float64 // of word vectors, and of what classes are told from; see ops.Dropout
}

// NewAttentiveTreeLSTM adds a TreeLSTMCell over binary trees, whose classes are told
// from the weighted sum s over all nodes of a tree, as Kokkinos and Potamianos (EACL
// 2017) do over those of a Tree-GRU that goes both up and down: logits = Ws s + bs. x is
// the row of E of a leaf's word. The result are the logits, the loss their cross-entropy
// with the label of the root. Row i of the table "attention" is the weight of node i.
//
// A subtree returns the list of its nodes beside its state. Lists hold names of vectors,
// so a node costs as many words as it has nodes above it.
func NewAttentiveTreeLSTM(m *graph.Module, c AttentiveTreeLSTMConfig) *recursion.SubGraph[BinaryTree, Scores] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Embed)
	cell := NewTreeLSTMCell(m, "", c.Embed, c.Hidden)
	attention := NewAttention(m, "", c.Hidden, c.Attention)
	head := NewLinear(m, "Ws", "bs", c.Hidden, c.Classes)

	type nodes struct{ ID, H graph.Value } // lists
	type visited struct {
		State LSTMState
		Nodes nodes
	}
	of := visited{lstmStateOf(c.Hidden), nodes{graph.I32(graph.Any), graph.F32(graph.Any, c.Hidden)}}
	model := recursion.Declare(m, "attentivetreelstm", binaryTreeSpec(), Scores{Logits: graph.F32(c.Classes)})
	return model.Define(func(t BinaryTree) Scores {
		subtree := recursion.Declare(m, "subtree", graph.I32(), of)
		subtree.Define(func(i graph.Value) visited {
			return recursion.If(ops.Less(ops.At(t.Left, i), m.Int(0)), func() visited {
				s := cell.Leaf(Dropout(embedding.Apply(ops.At(t.Word, i)), c.Dropout))
				return visited{s, nodes{ops.List(i), ops.List(s.H)}}
			}, func() visited {
				l, r := subtree.Invoke(ops.At(t.Left, i)), subtree.Invoke(ops.At(t.Right, i))
				s := cell.Join(l.State, r.State)
				return visited{s, nodes{
					ops.Join(l.Nodes.ID, r.Nodes.ID, ops.List(i)),
					ops.Join(l.Nodes.H, r.Nodes.H, ops.List(s.H)),
				}}
			})
		})
		root := last(m, t.Left)
		all := subtree.Invoke(root).Nodes
		weights, sum := attention.Apply(all.H)
		type weighed struct{ ID, Weight graph.Value }
		recursion.Map(weighed{all.ID, weights}, func(n weighed) graph.Value {
			recursion.Collect("attention", n.ID, n.Weight)
			return n.ID
		})
		logits := head.Apply(Dropout(sum, c.Dropout))
		recursion.Loss(crossEntropyIfKnown(logits, ops.At(t.Label, root)))
		return Scores{logits}
	})
}
