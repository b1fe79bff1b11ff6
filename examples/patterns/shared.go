package main

import (
	"io"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// unfolded evaluates an expression whose parts are used more than once by plain
// recursion: a part is evaluated as often as it is used.
func unfolded(m *graph.Module) *recursion.SubGraph[BinaryTree, graph.Value] {
	return overDAG(m, "unfolded", func(d BinaryTree) graph.Value {
		node := recursion.Declare(m, "node", graph.I32(), graph.F32())
		node.Define(func(i graph.Value) graph.Value { return combine(m, d, i, node.Invoke) })
		return node.Invoke(ops.Sub(ops.Len(d.Value), m.Int(1)))
	})
}

// once goes through the nodes in order and keeps a list of what it has computed. The
// list holds names of values: growing it copies none, and gradients of all uses of a
// part are added up.
func once(m *graph.Module) *recursion.SubGraph[BinaryTree, graph.Value] {
	return overDAG(m, "once", func(d BinaryTree) graph.Value {
		none := ops.Span(d.Value, m.Int(0), m.Int(0))
		done := recursion.Fold(ops.Range(ops.Len(d.Value)), none, func(done, i graph.Value) graph.Value {
			x := combine(m, d, i, func(j graph.Value) graph.Value { return ops.At(done, j) })
			return ops.Join(done, ops.List(x))
		})
		return ops.At(done, ops.Sub(ops.Len(d.Value), m.Int(1)))
	})
}

// combine adds the operands of node i, given how to get at them.
func combine(m *graph.Module, d BinaryTree, i graph.Value, operand func(j graph.Value) graph.Value) graph.Value {
	left, right := ops.At(d.Left, i), ops.At(d.Right, i)
	return recursion.If(ops.Less(left, m.Int(0)), func() graph.Value {
		return ops.At(d.Value, i)
	}, func() graph.Value {
		return ops.Add(operand(left), operand(right))
	})
}

func overDAG(m *graph.Module, name string, body func(BinaryTree) graph.Value) *recursion.SubGraph[BinaryTree, graph.Value] {
	ids := graph.I32(graph.Any)
	return recursion.Declare(m, name, BinaryTree{graph.F32(graph.Any), ids, ids}, graph.F32()).Define(body)
}

// ladder is a node that is added to itself, the sum of which is added to itself, and
// so on: its value is 2 to the power of n.
func ladder(n int) binaryTree {
	d := binaryTree{make([]float32, n+1), make([]int32, n+1), make([]int32, n+1)}
	d.Value[0] = 1
	for i := range d.Left {
		d.Left[i], d.Right[i] = int32(i)-1, int32(i)-1
	}
	return d
}

func showShared(w io.Writer) error {
	if err := show[float32](w, "unfolded", unfolded, ladder(12)); err != nil {
		return err
	}
	return show[float32](w, "once", once, ladder(12))
}
