package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Seed is what a tree grows from, and what its leaves should add up to.
type Seed struct {
	H      graph.Value // [hidden]
	Target graph.Value // [out]
}

// TopDownConfig holds the sizes of a network that grows trees.
type TopDownConfig struct {
	Hidden   int
	Out      int
	MaxDepth int // of splits below each other, at most 30
}

// NewTopDown adds a network that decides by what it computes whether to go on: no
// one knows the tree before it is there.
//
//	grow(h, depth):   s = w·h + b0
//	    s > 0 and depth < max:   grow(tanh(Wl h + bl), depth+1) + grow(tanh(Wr h + br), depth+1)
//	    otherwise:               V h
//
// The result is grow(h, 0) [out] of the seed, the loss ½|grow(h, 0) - target|².
// Since s only selects a branch, w and b0 receive no gradient. Row k of the table
// "split" says whether node k has split; the root is 1, the children of k are 2k
// and 2k+1.
func NewTopDown(m *graph.Module, c TopDownConfig) *recursion.SubGraph[Seed, graph.Value] {
	graph.Helper()
	w := m.Var("w", graph.F32(c.Hidden), graph.Xavier())
	b0 := m.Var("b0", graph.F32(), graph.Zeros())
	left := NewLinear(m, "Wl", "bl", c.Hidden, c.Hidden)
	right := NewLinear(m, "Wr", "br", c.Hidden, c.Hidden)
	leaf := m.Var("V", graph.F32(c.Out, c.Hidden), graph.Xavier())
	type node struct{ H, Depth, ID graph.Value }

	grow := recursion.Declare(m, "grow", node{graph.F32(c.Hidden), graph.I32(), graph.I32()}, graph.F32(c.Out))
	grow.Define(func(n node) graph.Value {
		s := ops.Add(ops.Dot(w, n.H), b0)
		split := ops.And(ops.Greater(s, m.Float(0)), ops.Less(n.Depth, m.Int(c.MaxDepth)))
		recursion.Collect("split", n.ID, ops.Cast(split, graph.Int32))
		return recursion.If(split, func() graph.Value {
			depth := ops.Add(n.Depth, m.Int(1))
			id := ops.Mul(n.ID, m.Int(2))
			l := grow.Invoke(node{ops.Tanh(left.Apply(n.H)), depth, id})
			r := grow.Invoke(node{ops.Tanh(right.Apply(n.H)), depth, ops.Add(id, m.Int(1))})
			return ops.Add(l, r)
		}, func() graph.Value { return ops.MatVec(leaf, n.H) })
	})

	model := recursion.Declare(m, "topdown", Seed{H: graph.F32(c.Hidden), Target: graph.F32(c.Out)}, graph.F32(c.Out))
	return model.Define(func(seed Seed) graph.Value {
		y := grow.Invoke(node{seed.H, m.Int(0), m.Int(1)})
		recursion.Loss(halfSquare(y, seed.Target))
		return y
	})
}
