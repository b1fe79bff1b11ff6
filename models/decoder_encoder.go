package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// encodedTree is what a decoder sees of a tree.
type encodedTree struct {
	Root LSTMState
	H    graph.Value // [? hidden] of all nodes, in post-order
}

func wordTreeSpec() WordTree {
	ids := graph.I32(graph.Any)
	return WordTree{Word: ids, Left: ids, Right: ids}
}

// newTreeEncoder adds the recursion over one tree. Lists of states hold their names, so
// joining those of subtrees copies no states.
func newTreeEncoder(m *graph.Module, c TreeToSequenceConfig) *recursion.SubGraph[WordTree, encodedTree] {
	graph.Helper()
	words := NewEmbedding(m, "E", c.Vocab, c.Embed)
	input := NewLinear(m, "W", "b", c.Embed, 5*c.Hidden)
	children := m.Var("U", graph.F32(5*c.Hidden, 2*c.Hidden), graph.Xavier())
	encoded := encodedTree{Root: lstmStateOf(c.Hidden), H: graph.F32(graph.Any, c.Hidden)}

	encode := recursion.Declare(m, "encode", wordTreeSpec(), encoded)
	return encode.Define(func(t WordTree) encodedTree {
		subtree := recursion.Declare(m, "encoded", graph.I32(), encoded)
		subtree.Define(func(i graph.Value) encodedTree {
			x := input.Apply(words.Apply(ops.At(t.Word, i)))
			left := ops.At(t.Left, i)
			return recursion.If(ops.Less(left, m.Int(0)), func() encodedTree {
				g := ops.Split(x, 5)
				s := lstmState(ops.Sigmoid(g[3]), ops.Mul(ops.Sigmoid(g[0]), ops.Tanh(g[4])))
				return encodedTree{s, ops.List(s.H)}
			}, func() encodedTree {
				l, r := subtree.Invoke(left), subtree.Invoke(ops.At(t.Right, i))
				g := ops.Split(ops.Add(x, ops.MatVec(children, ops.Concat(l.Root.H, r.Root.H))), 5)
				i, fl, fr, o, u := ops.Sigmoid(g[0]), ops.Sigmoid(g[1]), ops.Sigmoid(g[2]), ops.Sigmoid(g[3]), ops.Tanh(g[4])
				s := lstmState(o, ops.Add(ops.Mul(i, u), ops.Mul(fl, l.Root.C), ops.Mul(fr, r.Root.C)))
				return encodedTree{s, ops.Join(l.H, r.H, ops.List(s.H))}
			})
		})
		return subtree.Invoke(last(m, t.Word))
	})
}
