package main

import (
	"io"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Expr is an arithmetic expression; its nodes are of several kinds.
type Expr struct{ Kind, Left, Right, Value graph.Value }

// The kinds of nodes, in the order of the bodies of the Switch.
const (
	constant int32 = iota
	sum
	product
	quotient
)

// expr is the Go side of Expr.
type expr struct {
	Kind, Left, Right []int32
	Value             []float32
}

// evaluate has a body for each kind of node. A leaf has no operands, so what they are
// is asked in the bodies that have some.
func evaluate(m *graph.Module) *recursion.SubGraph[Expr, graph.Value] {
	ids := graph.I32(graph.Any)
	whole := recursion.Declare(m, "evaluate", Expr{Kind: ids, Left: ids, Right: ids, Value: graph.F32(graph.Any)}, graph.F32())
	return whole.Define(func(e Expr) graph.Value {
		node := recursion.Declare(m, "node", graph.I32(), graph.F32())
		node.Define(func(i graph.Value) graph.Value {
			binary := func(op func(x, y graph.Value) graph.Value) func() graph.Value {
				return func() graph.Value {
					return op(node.Invoke(ops.At(e.Left, i)), node.Invoke(ops.At(e.Right, i)))
				}
			}
			return recursion.Switch(ops.At(e.Kind, i),
				func() graph.Value { return ops.At(e.Value, i) },
				binary(func(x, y graph.Value) graph.Value { return ops.Add(x, y) }),
				binary(ops.Mul),
				binary(ops.Div),
			)
		})
		return node.Invoke(ops.Sub(ops.Len(e.Kind), m.Int(1)))
	})
}

func showDispatch(w io.Writer) error {
	// (1 + 2) * 4 / 8
	return show[float32](w, "dispatch", evaluate, expr{
		Kind:  []int32{constant, constant, sum, constant, product, constant, quotient},
		Left:  []int32{-1, -1, 0, -1, 2, -1, 4},
		Right: []int32{-1, -1, 1, -1, 3, -1, 5},
		Value: []float32{1, 2, 0, 4, 0, 8, 0},
	})
}
