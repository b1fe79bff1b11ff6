package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Tree is a tree whose nodes have any number of children. Trees of all arities take
// the same path through a model and are executed together.
type Tree struct {
	Word  graph.Value // [?] of each node
	Start graph.Value // [?] one more than nodes: where the children of a node start in Child
	Child graph.Value // [?] the children of all nodes, node by node, left to right
}

// treeSpec describes the types of a tree.
func treeSpec() Tree {
	ids := graph.I32(graph.Any)
	return Tree{Word: ids, Start: ids, Child: ids}
}

// children is the list of the children of node j.
func (t Tree) children(j graph.Value) graph.Value {
	next := ops.Add(j, j.Module().Int(1))
	return ops.Span(t.Child, ops.At(t.Start, j), ops.At(t.Start, next))
}

// LabelledTree is a tree whose nodes have classes.
type LabelledTree struct {
	Tree  Tree
	Label graph.Value // [?] the class of each node; negative if not known
}

// NodeCell is what distinguishes models over trees of any arity: how the state of a
// node follows from its word and its children. A state is a struct of values, or a
// single value.
type NodeCell[State any] struct {
	State State // describes the types
	// Node returns the state of a node from its word and the list of its children.
	// Invoking subtree gives the state of a child.
	Node   func(word, children graph.Value, subtree *recursion.SubGraph[graph.Value, State]) State
	Hidden func(State) graph.Value // [hidden], what the classes are told from
}

// ClassifyTree is Classify for trees of any arity: logits = Ws h + bs at every node,
// the cross-entropies of those with a label as the loss, a table "logits", and the
// logits of the root as the result.
func ClassifyTree[State any](m *graph.Module, name string, hidden, classes int, c NodeCell[State]) *recursion.SubGraph[LabelledTree, Scores] {
	graph.Helper()
	head := NewLinear(m, "Ws", "bs", hidden, classes)

	in := LabelledTree{Tree: treeSpec(), Label: graph.I32(graph.Any)}
	model := recursion.Declare(m, name, in, Scores{Logits: graph.F32(classes)})
	return model.Define(func(in LabelledTree) Scores {
		t := in.Tree
		subtree := recursion.Declare(m, "subtree", graph.I32(), c.State)
		subtree.Define(func(j graph.Value) State {
			state := c.Node(ops.At(t.Word, j), t.children(j), subtree)
			head.classify(j, c.Hidden(state), in.Label)
			return state
		})
		root := subtree.Invoke(last(m, t.Word))
		return Scores{head.Apply(c.Hidden(root))}
	})
}

// inputOf returns W x + b, where x is the vector of a word, or 0 if the word is
// negative: there is no product to compute then.
func inputOf(layer Linear, word graph.Value, words Embedding, dropout float64) graph.Value {
	return recursion.If(ops.Less(word, word.Module().Int(0)), func() graph.Value {
		return layer.B
	}, func() graph.Value {
		return layer.Apply(Dropout(words.Apply(word), dropout))
	})
}
