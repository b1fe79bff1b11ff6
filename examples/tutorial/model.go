package main

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Tree describes what the model takes: lists of integers whose length is known when
// the program runs. Its fields have the names of those of tree.
type Tree struct{ Word, Left, Right, Label graph.Value }

// newModel adds a recursive network (Socher et al. 2013, section 4.1): the state of a
// leaf is the vector of its word, that of an inner node tanh(W [left right] + b).
// Every node with a label is classified and adds its cross-entropy to the loss.
func newModel(m *graph.Module, words, d, classes int) *recursion.SubGraph[Tree, graph.Value] {
	embedding := m.Var("embedding", graph.F32(words, d), graph.Uniform(0.1))
	w := m.Var("W", graph.F32(d, 2*d), graph.Xavier())
	b := m.Var("b", graph.F32(d), graph.Zeros())
	head := m.Var("head", graph.F32(classes, d), graph.Xavier())

	ids := graph.I32(graph.Any)
	model := recursion.Declare(m, "model", Tree{ids, ids, ids, ids}, graph.F32(classes))
	return model.Define(func(t Tree) graph.Value {
		subtree := recursion.Declare(m, "subtree", graph.I32(), graph.F32(d))
		subtree.Define(func(i graph.Value) graph.Value {
			left, right := ops.At(t.Left, i), ops.At(t.Right, i)
			h := recursion.If(ops.Less(left, m.Int(0)), func() graph.Value {
				return ops.At(embedding, ops.At(t.Word, i))
			}, func() graph.Value {
				children := ops.Concat(subtree.Invoke(left), subtree.Invoke(right))
				return ops.Tanh(ops.Add(ops.MatVec(w, children), b))
			})
			classify(m, ops.MatVec(head, h), ops.At(t.Label, i))
			return h
		})
		root := subtree.Invoke(ops.Sub(ops.Len(t.Word), m.Int(1)))
		return ops.MatVec(head, root)
	})
}

// classify adds a loss, unless the label is negative.
func classify(m *graph.Module, scores, label graph.Value) {
	zero := m.Float(0)
	recursion.Loss(recursion.If(ops.Less(label, m.Int(0)), func() graph.Value {
		return zero
	}, func() graph.Value {
		return ops.CrossEntropy(scores, label)
	}))
}
