package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// TDTree is a dependency tree as a top-down Tree-LSTM generates it: a head leads to
// the dependent next to it on either side, and a dependent to the one behind it, seen
// from the head. Nodes are in post-order of these edges; the last node is the root.
type TDTree struct {
	Word  graph.Value // [?] of every node
	Left  graph.Value // [?] the nearest dependent on the left, negative if there is none
	Right graph.Value // [?] the nearest dependent on the right
	Next  graph.Value // [?] the next dependent of the same head on the same side
}

// TDTreeLSTMConfig holds the sizes of a top-down Tree-LSTM.
type TDTreeLSTMConfig struct {
	Vocab  int // words
	Embed  int // elements of a word vector
	Hidden int // elements of h and of c
}

// TDTreeLSTM is a distribution over dependency trees, with two graphs that share its
// variables.
type TDTreeLSTM struct {
	// Score takes a tree apart: the loss of a run is -log p(tree), the result the
	// number of nodes.
	Score *recursion.SubGraph[TDTree, graph.Value]
	// Generate grows a tree; see Growth. The loss of a run is -log p of what has grown.
	Generate *recursion.SubGraph[Growth, TDTree]
}

// NewTDTreeLSTM adds the top-down Tree-LSTM of Zhang, Lu and Lapata (NAACL 2016,
// section 2.2), which generates a word from the path of edges that leads to it. There
// is an LSTM for each kind z of edge: to the nearest dependent on the left (l), to that
// on the right (r), and to the next dependent on the left (nl) and on the right (nr).
// With v the node from which the edge leads to w:
//
//	h, c   = LSTMz(E[v], hv, cv)
//	p(w)   = softmax(Who h + bho)
//	p(z)   = σ(Wadd [h E[w]] + badd)z     whether w has an edge of kind z
//
// LSTMz is that of LSTMCell. A node may have edges of three kinds: l, r, and nl where
// it stands on the left of its head, nr on the right. What comes first is a dependent
// on the right of an artificial root, whose h and c are 0 and whose word is the last
// row of E. p(tree) is the product of p(w) over all nodes and of p(z) or 1 - p(z) over
// the three kinds of edges of all nodes.
//
// In the paper (section 3.4) two-layer networks say, after the training, which edges
// there are. Here one layer, trained with the rest, does; so p sums up to one over
// trees. The variant in which right dependents know those on the left is left out.
func NewTDTreeLSTM(m *graph.Module, c TDTreeLSTMConfig) TDTreeLSTM {
	graph.Helper()
	t := tdTreeLSTM{
		module:    m,
		config:    c,
		embedding: NewEmbedding(m, "E", c.Vocab+1, c.Embed),
		words:     NewLinear(m, "Who", "bho", c.Hidden, c.Vocab),
		add:       NewLinear(m, "Wadd", "badd", c.Hidden+c.Embed, edgeKinds),
	}
	for kind, name := range [edgeKinds]string{"l", "r", "nl", "nr"} {
		t.cells[kind] = NewLSTMCell(m, name, c.Embed, c.Hidden)
	}
	return TDTreeLSTM{Score: t.score(), Generate: t.generate()}
}

// The kinds of edges. Those to a next dependent are edgeNext behind those to the
// nearest.
const (
	edgeLeft = iota
	edgeRight
	edgeNext
	edgeKinds = 2 * edgeNext
)

// fanOut is the number of edges that a node may have.
const fanOut = 3

type tdTreeLSTM struct {
	module     *graph.Module
	config     TDTreeLSTMConfig
	embedding  Embedding
	words, add Linear
	cells      [edgeKinds]LSTMCell
}

// edge leads to a node.
type edge struct {
	Kind graph.Value
	Word graph.Value // of the node it comes from
	From LSTMState
}

func (t *tdTreeLSTM) edgeSpec() edge {
	return edge{Kind: graph.I32(), Word: graph.I32(), From: lstmStateOf(t.config.Hidden)}
}

// first is the edge that leads from the artificial root to the first word.
func (t *tdTreeLSTM) first() edge {
	zero := t.module.Full(0, t.config.Hidden)
	return edge{t.module.Int(edgeRight), t.module.Int(t.config.Vocab), LSTMState{zero, zero}}
}

// follow returns the state of the node to which the edge leads.
func (t *tdTreeLSTM) follow(e edge) LSTMState {
	x := t.embedding.Apply(e.Word)
	lstm := func(kind int) func() LSTMState {
		return func() LSTMState { return t.cells[kind].Apply(x, e.From) }
	}
	return recursion.Switch(e.Kind, lstm(0), lstm(1), lstm(2), lstm(3))
}

// edges returns the edges that a node which e leads to may have.
func (t *tdTreeLSTM) edges(e edge, s LSTMState, word graph.Value) [fanOut]edge {
	side := ops.Mod(e.Kind, t.module.Int(edgeNext))
	return [fanOut]edge{
		{t.module.Int(edgeLeft), word, s},
		{t.module.Int(edgeRight), word, s},
		{ops.Add(side, t.module.Int(edgeNext)), word, s},
	}
}

// addScores are the arguments of σ in p(z) for these edges, [3].
func (t *tdTreeLSTM) addScores(edges [fanOut]edge) graph.Value {
	from := edges[0]
	scores := t.add.Apply(ops.Concat(from.From.H, t.embedding.Apply(from.Word)))
	return ops.At(scores, ops.Stack(edges[0].Kind, edges[1].Kind, edges[2].Kind))
}

// loss adds -log p of the word and of having or not having each edge.
func (t *tdTreeLSTM) loss(logits, word, scores, has graph.Value) {
	recursion.Loss(ops.CrossEntropy(logits, word))
	// -log σ(s) is softplus(-s), -log(1 - σ(s)) softplus(s).
	recursion.Loss(ops.Sum(ops.Softplus(ops.Where(has, ops.Neg(scores), scores))))
}

func (t *tdTreeLSTM) score() *recursion.SubGraph[TDTree, graph.Value] {
	m := t.module
	type node struct {
		ID   graph.Value
		Edge edge
	}
	model := recursion.Declare(m, "score", tdTreeSpec(), graph.I32())
	return model.Define(func(tree TDTree) graph.Value {
		subtree := recursion.Declare(m, "scored", node{graph.I32(), t.edgeSpec()}, graph.I32())
		subtree.Define(func(n node) graph.Value {
			s, word := t.follow(n.Edge), ops.At(tree.Word, n.ID)
			edges := t.edges(n.Edge, s, word)
			ends := [fanOut]graph.Value{ops.At(tree.Left, n.ID), ops.At(tree.Right, n.ID), ops.At(tree.Next, n.ID)}
			has := ops.GreaterEqual(ops.Stack(ends[:]...), m.Int(0))
			t.loss(t.words.Apply(s.H), word, t.addScores(edges), has)
			count := m.Int(1)
			for k, end := range ends {
				count = ops.Add(count, recursion.If(ops.GreaterEqual(end, m.Int(0)),
					func() graph.Value { return subtree.Invoke(node{end, edges[k]}) },
					func() graph.Value { return m.Int(0) }))
			}
			return count
		})
		return subtree.Invoke(node{last(m, tree.Word), t.first()})
	})
}

func tdTreeSpec() TDTree {
	ids := graph.I32(graph.Any)
	return TDTree{ids, ids, ids, ids}
}
