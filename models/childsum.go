package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// DependencyTree is a tree whose nodes have a word and any number of children.
type DependencyTree struct {
	Word  graph.Value // [?] of every node
	Start graph.Value // [?] one more than nodes: where the children of a node start in Child
	Child graph.Value // [?] the children of all nodes, node by node
}

// SentencePair is a pair of sentences and how much they are related.
type SentencePair struct {
	A, B  DependencyTree
	Score graph.Value // f32, 1 (unrelated) to the number of classes
}

// ChildSumConfig holds the sizes of a Child-Sum Tree-LSTM that compares sentences.
type ChildSumConfig struct {
	Vocab      int // words
	Embed      int // elements of a word vector
	Hidden     int // elements of h and of c
	Similarity int // elements of the layer that compares two sentences
	Classes    int // whole scores, from 1
}

// NewChildSum adds the Child-Sum Tree-LSTM of Tai, Socher and Manning (ACL 2015,
// section 3.1, equations 2-8). At node j with children k, Σ over k:
//
//	h~ = Σ hk
//	i  = σ(Wi x + Ui h~ + bi)      o = σ(Wo x + Uo h~ + bo)
//	fk = σ(Wf x + Uf hk + bf)      u = tanh(Wu x + Uu h~ + bu)
//	c  = i ⊙ u + Σ fk ⊙ ck         h = o ⊙ tanh(c)
//
// x is the row of E of the node's word. Two sentences with the states ha and hb at
// their roots are compared as in section 4.2, equation 15:
//
//	hs = σ(Wx (ha ⊙ hb) + Wp |ha - hb| + b)      p = softmax(Wp2 hs + b2)
//
// The result is p [classes], the probabilities of the scores 1, 2, ... The loss is
// the Kullback-Leibler divergence of p from the distribution t over the two whole
// scores next to the pair's, with the pair's score as its mean.
func NewChildSum(m *graph.Module, c ChildSumConfig) *recursion.SubGraph[SentencePair, graph.Value] {
	graph.Helper()
	encode := newChildSumEncoder(m, c)
	product := m.Var("Wx", graph.F32(c.Similarity, c.Hidden), graph.Xavier())
	difference := newAffine(m, "Wp", "b", c.Hidden, c.Similarity)
	head := newAffine(m, "Wp2", "b2", c.Similarity, c.Classes)

	tree := dependencyTree()
	model := recursion.Declare(m, "similarity", SentencePair{A: tree, B: tree, Score: graph.F32()}, graph.F32(c.Classes))
	return model.Define(func(p SentencePair) graph.Value {
		a, b := encode.Invoke(p.A).H, encode.Invoke(p.B).H
		hs := ops.Sigmoid(ops.Add(
			ops.MatVec(product, ops.Mul(a, b)),
			difference.of(ops.Abs(ops.Sub(a, b)))))
		logits := head.of(hs)
		recursion.Loss(divergence(sparseTarget(m, p.Score, c.Classes), ops.LogSoftmax(logits)))
		return ops.Softmax(logits)
	})
}

func dependencyTree() DependencyTree {
	ids := graph.I32(graph.Any)
	return DependencyTree{Word: ids, Start: ids, Child: ids}
}

// newChildSumEncoder adds the recursion over one tree; its result is the state of
// the root.
func newChildSumEncoder(m *graph.Module, c ChildSumConfig) *recursion.SubGraph[DependencyTree, LSTMState] {
	graph.Helper()
	embedding := newEmbedding(m, "E", c.Vocab, c.Embed)
	input := newGate(m, "i", c.Embed, c.Hidden)
	forget := newGate(m, "f", c.Embed, c.Hidden)
	output := newGate(m, "o", c.Embed, c.Hidden)
	update := newGate(m, "u", c.Embed, c.Hidden)
	state := LSTMState{H: graph.F32(c.Hidden), C: graph.F32(c.Hidden)}

	encode := recursion.Declare(m, "encode", dependencyTree(), state)
	return encode.Define(func(t DependencyTree) LSTMState {
		subtree := recursion.Declare(m, "subtree", graph.I32(), state)
		subtree.Define(func(j graph.Value) LSTMState {
			from, to := ops.At(t.Start, j), ops.At(t.Start, ops.Add(j, m.Int(1)))
			children := recursion.Map(ops.Span(t.Child, from, to), subtree.Invoke) // lists [? hidden]

			x := ops.At(embedding, ops.At(t.Word, j))
			h := ops.Sum(children.H, 0)
			i := ops.Sigmoid(input.of(x, h))
			o := ops.Sigmoid(output.of(x, h))
			u := ops.Tanh(update.of(x, h))
			f := ops.Sigmoid(ops.Add(ops.MatMulT(children.H, forget.u), ops.Add(ops.MatVec(forget.w, x), forget.b)))
			return lstmState(o, ops.Add(ops.Mul(i, u), ops.Sum(ops.Mul(f, children.C), 0)))
		})
		return subtree.Invoke(last(m, t.Word))
	})
}

// sparseTarget is the distribution over 1, ..., classes whose mean is the score and
// which is zero but at the two numbers next to it: tk = max(0, 1 - |score - k|).
func sparseTarget(m *graph.Module, score graph.Value, classes int) graph.Value {
	var numbers []float32
	for k := 1; k <= classes; k++ {
		numbers = append(numbers, float32(k))
	}
	distance := ops.Abs(ops.Sub(m.Floats(numbers, classes), score))
	return ops.Relu(ops.AddScalar(ops.Neg(distance), 1))
}

// divergence is Σ tk (ln tk - ln pk), in which 0 ln 0 is 0.
func divergence(t, logP graph.Value) graph.Value {
	const tiny = 1e-30 // keeps the logarithm finite where t is 0
	logT := ops.Log(ops.Clip(t, tiny, 1))
	return ops.Sum(ops.Mul(t, ops.Sub(logT, logP)))
}
