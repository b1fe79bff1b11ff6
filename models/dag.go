package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// DAG is an expression whose parts may be used more than once. Operands come
// before the nodes that use them; the last node is the whole.
type DAG struct {
	Word        graph.Value // [?] of leaves
	Left, Right graph.Value // [?] the operands; both negative at a leaf
	Target      graph.Value // [hidden]
}

// DAGConfig holds the sizes of a network over shared expressions.
type DAGConfig struct {
	Leaves int  // different leaves
	Hidden int  // elements of h
	Unfold bool // compute a shared part as often as it is used
}

// NewDAG adds the cell of NewTreeRNN over expressions with shared parts:
//
//	leaf    h = x
//	inner   h = tanh(W [hl hr] + b)
//
// x is the row of X of the leaf's word. Values and gradients are the same either
// way, but the number of uses, and with it the time of an unfolded evaluation, may
// grow exponentially with the number of nodes. The result is h of the last node,
// the loss ½|h - target|².
func NewDAG(m *graph.Module, c DAGConfig) *recursion.SubGraph[DAG, graph.Value] {
	graph.Helper()
	cell := dagCell{
		module: m,
		leaves: NewEmbedding(m, "X", c.Leaves, c.Hidden),
		inner:  NewLinear(m, "W", "b", 2*c.Hidden, c.Hidden),
	}
	evaluate := cell.once
	if c.Unfold {
		evaluate = cell.unfolded
	}
	ids, vector := graph.I32(graph.Any), graph.F32(c.Hidden)

	model := recursion.Declare(m, "dag", DAG{Word: ids, Left: ids, Right: ids, Target: vector}, vector)
	return model.Define(func(d DAG) graph.Value {
		h := evaluate(d, vector)
		recursion.Loss(halfSquare(h, d.Target))
		return h
	})
}

type dagCell struct {
	module *graph.Module
	leaves Embedding
	inner  Linear
}

// at computes node i, given how to get at its operands.
func (c dagCell) at(d DAG, i graph.Value, operand func(j graph.Value) graph.Value) graph.Value {
	isLeaf := ops.Less(ops.At(d.Left, i), c.module.Int(0))
	return recursion.If(isLeaf, func() graph.Value {
		return c.leaves.Apply(ops.At(d.Word, i))
	}, func() graph.Value {
		l, r := operand(ops.At(d.Left, i)), operand(ops.At(d.Right, i))
		return ops.Tanh(c.inner.Apply(ops.Concat(l, r)))
	})
}

// unfolded is plain recursion.
func (c dagCell) unfolded(d DAG, vector graph.Value) graph.Value {
	node := recursion.Declare(c.module, "node", graph.I32(), vector)
	node.Define(func(i graph.Value) graph.Value { return c.at(d, i, node.Invoke) })
	return node.Invoke(last(c.module, d.Left))
}

// once goes through the nodes in order and keeps a list of what it has computed.
// The list holds names of vectors, so growing it copies none.
func (c dagCell) once(d DAG, _ graph.Value) graph.Value {
	nodes := ops.Range(ops.Len(d.Left))
	none := c.leaves.Apply(ops.Range(c.module.Int(0)))
	done := recursion.Fold(nodes, none, func(done, i graph.Value) graph.Value {
		h := c.at(d, i, func(j graph.Value) graph.Value { return ops.At(done, j) })
		return ops.Join(done, ops.List(h))
	})
	return ops.At(done, last(c.module, d.Left))
}
