package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// NewRNTN adds the recursive neural tensor network of Socher et al. (EMNLP 2013,
// section 4.3), in which every pair of elements of the children has a weight for
// every element of h:
//
//	leaf    h = x
//	inner   h = tanh(aᵀ V a + W a + b)   with a = [hl hr], (aᵀ V a)k = aᵀ V[k] a
//
// x is the row of E of the leaf's word; V is [hidden 2·hidden 2·hidden]. See
// Classify for what is made of h.
func NewRNTN(m *graph.Module, c TreeRNNConfig) *recursion.SubGraph[BinaryTree, Scores] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Hidden)
	tensor := m.Var("V", graph.F32(c.Hidden, 2*c.Hidden, 2*c.Hidden), graph.Uniform(0.01))
	inner := NewLinear(m, "W", "b", 2*c.Hidden, c.Hidden)

	return Classify(m, "rntn", c.Hidden, c.Classes, Cell[graph.Value]{
		State: graph.F32(c.Hidden),
		Leaf:  embedding.Apply,
		Join: func(l, r graph.Value) graph.Value {
			a := ops.Concat(l, r)
			return ops.Tanh(ops.Add(ops.Bilinear(a, tensor, a), inner.Apply(a)))
		},
		Hidden: func(h graph.Value) graph.Value { return h },
	})
}
