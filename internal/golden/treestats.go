package golden

import (
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// TreeStats holds numbers about each of the file's trees.
type TreeStats struct {
	Depth    []int32 // edges of the longest path from the root
	LabelSum []int32 `json:"label_sum"` // over all nodes
	Leaves   []int32
	Nodes    []int32

	Program *graph.Program `json:"-"` // computes them
}

// TreeStats returns the numbers and the graph that computes them, in the order of
// the fields, from the arrays Left, Right and Label of a tree.
func (f *File) TreeStats(t testing.TB) (TreeStats, *graph.Graph) {
	t.Helper()
	var results struct {
		Cases []struct {
			Name string
			TreeStats
		}
	}
	f.Decode(t, &results)
	m := graph.NewModule("tree_stats")
	defineTreeStats(m)
	p, err := m.Build()
	if err != nil {
		t.Fatalf("golden %s: %v", f.Name, err)
	}
	for _, c := range results.Cases {
		if c.Name == "tree_stats" {
			c.Program = p
			return c.TreeStats, p.Graph("tree_stats")
		}
	}
	t.Fatalf("golden %s: no results about trees", f.Name)
	return TreeStats{}, nil
}

func defineTreeStats(m *graph.Module) {
	type tree struct{ Left, Right, Label graph.Value }
	type stats struct{ Depth, LabelSum, Leaves, Nodes graph.Value }
	ids, number := graph.I32(graph.Any), graph.I32()
	all := stats{number, number, number, number}
	zero, one := m.Int(0), m.Int(1)

	main := recursion.Declare(m, "tree_stats", tree{ids, ids, ids}, all)
	main.Define(func(t tree) stats {
		subtree := recursion.Declare(m, "subtree", number, all)
		subtree.Define(func(i graph.Value) stats {
			label := ops.At(t.Label, i)
			return recursion.If(ops.Less(ops.At(t.Left, i), zero), func() stats {
				return stats{Depth: zero, LabelSum: label, Leaves: one, Nodes: one}
			}, func() stats {
				l, r := subtree.Invoke(ops.At(t.Left, i)), subtree.Invoke(ops.At(t.Right, i))
				return stats{
					Depth:    ops.Add(ops.Maximum(l.Depth, r.Depth), one),
					LabelSum: ops.Add(l.LabelSum, r.LabelSum, label),
					Leaves:   ops.Add(l.Leaves, r.Leaves),
					Nodes:    ops.Add(l.Nodes, r.Nodes, one),
				}
			})
		})
		return subtree.Invoke(ops.Sub(ops.Len(t.Left), one))
	})
}
