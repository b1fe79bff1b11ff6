package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
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
