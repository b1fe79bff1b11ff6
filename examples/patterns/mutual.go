package main

import (
	"io"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// minimax evaluates a game tree in which two players move in turn: one wants the value
// to be large, the other small. Each invokes the other, which is only declared yet.
func minimax(m *graph.Module) *recursion.SubGraph[Tree, graph.Value] {
	whole := recursion.Declare(m, "minimax", treeSpec(), graph.F32())
	return whole.Define(func(t Tree) graph.Value {
		ours := recursion.Declare(m, "ours", graph.I32(), graph.F32())
		theirs := recursion.Declare(m, "theirs", graph.I32(), graph.F32())
		ours.Define(func(i graph.Value) graph.Value {
			moves := t.children(m, i)
			return recursion.If(ops.Equal(ops.Len(moves), m.Int(0)), func() graph.Value {
				return ops.At(t.Value, i)
			}, func() graph.Value {
				return ops.MaxOver(recursion.Map(moves, theirs.Invoke))
			})
		})
		theirs.Define(func(i graph.Value) graph.Value {
			moves := t.children(m, i)
			return recursion.If(ops.Equal(ops.Len(moves), m.Int(0)), func() graph.Value {
				return ops.At(t.Value, i)
			}, func() graph.Value {
				return ops.Neg(ops.MaxOver(ops.Neg(recursion.Map(moves, ours.Invoke))))
			})
		})
		return ours.Invoke(ops.Sub(ops.Len(t.Value), m.Int(1)))
	})
}

func showMutual(w io.Writer) error {
	// we choose between min(3, 5) and min(4, 9, 6)
	return show[float32](w, "mutual", minimax, tree{
		Value: []float32{3, 5, 0, 4, 9, 6, 0, 0},
		Start: []int32{0, 0, 0, 2, 2, 2, 2, 5, 7},
		Child: []int32{0, 1, 3, 4, 5, 2, 6},
	})
}
