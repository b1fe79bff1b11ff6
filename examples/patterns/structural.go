package main

import (
	"io"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// BinaryTree is a tree with a number at each leaf; node i is a leaf when Left[i] < 0.
// Children come before their parents, so the root is the last node.
type BinaryTree struct{ Value, Left, Right graph.Value }

// binaryTree is the Go side of BinaryTree.
type binaryTree struct {
	Value       []float32
	Left, Right []int32
}

// Measure is what is computed of a subtree: a result may be a struct.
type Measure struct{ Sum, Depth graph.Value }

// measure follows the structure of its input: one invocation per node.
func measure(m *graph.Module) *recursion.SubGraph[BinaryTree, Measure] {
	ids := graph.I32(graph.Any)
	tree := BinaryTree{Value: graph.F32(graph.Any), Left: ids, Right: ids}
	result := Measure{Sum: graph.F32(), Depth: graph.I32()}

	whole := recursion.Declare(m, "measure", tree, result)
	return whole.Define(func(t BinaryTree) Measure {
		subtree := recursion.Declare(m, "subtree", graph.I32(), result)
		subtree.Define(func(i graph.Value) Measure {
			left, right := ops.At(t.Left, i), ops.At(t.Right, i)
			return recursion.If(ops.Less(left, m.Int(0)), func() Measure {
				return Measure{Sum: ops.At(t.Value, i), Depth: m.Int(0)}
			}, func() Measure {
				l, r := subtree.Invoke(left), subtree.Invoke(right)
				return Measure{
					Sum:   ops.Add(l.Sum, r.Sum),
					Depth: ops.Add(ops.Maximum(l.Depth, r.Depth), m.Int(1)),
				}
			})
		})
		return subtree.Invoke(ops.Sub(ops.Len(t.Left), m.Int(1)))
	})
}

func showStructural(w io.Writer) error {
	type measured struct {
		Sum   float32
		Depth int
	}
	// ((1 2) 3) and 4
	three := binaryTree{[]float32{1, 2, 0, 3, 0}, []int32{-1, -1, 0, -1, 2}, []int32{-1, -1, 1, -1, 3}}
	one := binaryTree{[]float32{4}, []int32{-1}, []int32{-1}}
	return show[measured](w, "structural", measure, three, one)
}
