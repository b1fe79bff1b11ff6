package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// BinaryTree is a tree whose nodes have two children or a word.
type BinaryTree struct {
	Word        graph.Value // [?] of leaves
	Left, Right graph.Value // [?] the children; both negative at a leaf
	Label       graph.Value // [?] the class of each node; negative if not known
}

// binaryTreeSpec describes the types of a binary tree.
func binaryTreeSpec() BinaryTree {
	ids := graph.I32(graph.Any)
	return BinaryTree{Word: ids, Left: ids, Right: ids, Label: ids}
}

// Cell is what distinguishes models over binary trees: how the state of a subtree
// follows from the word of a leaf or from the states of two children. A state is
// a struct of values, or a single value.
type Cell[State any] struct {
	State  State // describes the types
	Leaf   func(word graph.Value) State
	Join   func(left, right State) State
	Hidden func(State) graph.Value // [hidden], what the classes are told from
}

// Classify adds a model that classifies every node of a tree by logits = Ws h + bs.
// The loss is the sum of the cross-entropies at the nodes that have a label. The
// logits of node i are row i of the table "logits" of the run; those of the root
// are the result.
func Classify[State any](m *graph.Module, name string, hidden, classes int, c Cell[State]) *recursion.SubGraph[BinaryTree, Scores] {
	graph.Helper()
	head := NewLinear(m, "Ws", "bs", hidden, classes)
	model := recursion.Declare(m, name, binaryTreeSpec(), Scores{Logits: graph.F32(classes)})
	return model.Define(func(t BinaryTree) Scores {
		subtree := recursion.Declare(m, "subtree", graph.I32(), c.State)
		subtree.Define(func(i graph.Value) State {
			isLeaf := ops.Less(ops.At(t.Left, i), m.Int(0))
			state := recursion.If(isLeaf, func() State {
				return c.Leaf(ops.At(t.Word, i))
			}, func() State {
				l := subtree.Invoke(ops.At(t.Left, i))
				r := subtree.Invoke(ops.At(t.Right, i))
				return c.Join(l, r)
			})
			head.classify(i, c.Hidden(state), t.Label)
			return state
		})
		root := subtree.Invoke(last(m, t.Left))
		return Scores{head.Apply(c.Hidden(root))}
	})
}
