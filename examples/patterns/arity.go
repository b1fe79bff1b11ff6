package main

import (
	"io"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Tree is a tree of any arity: the children of node i are Child[Start[i]:Start[i+1]].
type Tree struct{ Value, Start, Child graph.Value }

// tree is the Go side of Tree.
type tree struct {
	Value        []float32
	Start, Child []int32
}

// treeSpec describes the types of a Tree.
func treeSpec() Tree {
	return Tree{Value: graph.F32(graph.Any), Start: graph.I32(graph.Any), Child: graph.I32(graph.Any)}
}

// children returns the list of the children of node i.
func (t Tree) children(m *graph.Module, i graph.Value) graph.Value {
	return ops.Span(t.Child, ops.At(t.Start, i), ops.At(t.Start, ops.Add(i, m.Int(1))))
}

// total adds up the values of all nodes. A leaf needs no case of its own: the sum over
// an empty list is zero.
func total(m *graph.Module) *recursion.SubGraph[Tree, graph.Value] {
	whole := recursion.Declare(m, "total", treeSpec(), graph.F32())
	return whole.Define(func(t Tree) graph.Value {
		subtree := recursion.Declare(m, "subtree", graph.I32(), graph.F32())
		subtree.Define(func(i graph.Value) graph.Value {
			below := recursion.Map(t.children(m, i), subtree.Invoke)
			return ops.Add(ops.At(t.Value, i), ops.Sum(below))
		})
		return subtree.Invoke(ops.Sub(ops.Len(t.Value), m.Int(1)))
	})
}

func showArity(w io.Writer) error {
	// a root, 100, with the children 1, 2 and 30, the last of which has the child 4
	return show[float32](w, "any arity", total, tree{[]float32{1, 2, 4, 30, 100}, []int32{0, 0, 0, 0, 1, 4}, []int32{2, 0, 1, 3}})
}
