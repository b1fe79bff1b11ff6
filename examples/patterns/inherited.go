package main

import (
	"context"
	"fmt"
	"io"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Place is a node together with what its ancestors hand down.
type Place struct{ Node, Depth graph.Value }

// depths tells the depth of every node. What is known above is an argument; what is
// wanted of all nodes, not of the root alone, goes into a table.
func depths(m *graph.Module) *recursion.SubGraph[Tree, graph.Value] {
	whole := recursion.Declare(m, "depths", treeSpec(), graph.I32())
	return whole.Define(func(t Tree) graph.Value {
		subtree := recursion.Declare(m, "subtree", Place{graph.I32(), graph.I32()}, graph.I32())
		subtree.Define(func(p Place) graph.Value {
			recursion.Collect("depth", p.Node, p.Depth)
			counts := recursion.Map(t.children(m, p.Node), func(child graph.Value) graph.Value {
				return subtree.Invoke(Place{child, ops.Add(p.Depth, m.Int(1))})
			})
			return ops.Add(m.Int(1), ops.Sum(counts))
		})
		return subtree.Invoke(Place{ops.Sub(ops.Len(t.Value), m.Int(1)), m.Int(0)})
	})
}

func showInherited(w io.Writer) error {
	m := graph.NewModule("inherited")
	f := depths(m)
	program, err := m.Build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{})
	if err != nil {
		return err
	}
	defer session.Close()
	encode, err := exec.Encoder[tree](f)
	if err != nil {
		return err
	}
	input, err := encode(tree{[]float32{1, 2, 4, 30, 100}, []int32{0, 0, 0, 0, 1, 4}, []int32{2, 0, 1, 3}})
	if err != nil {
		return err
	}
	result, err := session.Run(context.Background(), f.Graph(), [][]exec.Array{input})
	if err != nil {
		return err
	}
	table := result.Tables[0]["depth"]
	fmt.Fprintf(w, "inherited: nodes %v have the depths %v\n", table.Keys, table.Ints)
	return nil
}
