package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// SentencePair is a pair of sentences and how much they are related.
type SentencePair struct {
	A, B  Tree
	Score graph.Value // f32, 1 (unrelated) to the number of classes
}

// ChildSumConfig holds the sizes of a Child-Sum Tree-LSTM that compares sentences.
type ChildSumConfig struct {
	Vocab      int // words
	Embed      int // elements of a word vector
	Hidden     int // elements of h and of c
	Similarity int // elements of the layer that compares two sentences
	Classes    int // whole scores, from 1
	// FixedWords keeps the word vectors as they are: they get no gradient, and so no
	// decay either.
	FixedWords bool
}

// ChildSumCell is the Child-Sum Tree-LSTM of Tai, Socher and Manning (ACL 2015,
// section 3.1, equations 2-8). At a node with children k, Σ over k:
//
//	h~ = Σ hk
//	i  = σ(Wi x + Ui h~ + bi)      o = σ(Wo x + Uo h~ + bo)
//	fk = σ(Wf x + Uf hk + bf)      u = tanh(Wu x + Uu h~ + bu)
//	c  = i ⊙ u + Σ fk ⊙ ck         h = o ⊙ tanh(c)
type ChildSumCell struct{ Input, Forget, Output, Update Gate }

// NewChildSumCell adds the variables of a cell, whose names end with the suffix.
func NewChildSumCell(m *graph.Module, suffix string, in, hidden int) ChildSumCell {
	graph.Helper()
	return ChildSumCell{
		Input:  NewGate(m, "i"+suffix, in, hidden),
		Forget: NewGate(m, "f"+suffix, in, hidden),
		Output: NewGate(m, "o"+suffix, in, hidden),
		Update: NewGate(m, "u"+suffix, in, hidden),
	}
}

// Node returns the state of a node from its word vector x [in] and the states of its
// children, lists [? hidden].
func (c ChildSumCell) Node(x graph.Value, children LSTMState) LSTMState {
	h := ops.Sum(children.H, 0)
	i := ops.Sigmoid(c.Input.Apply(x, h))
	o := ops.Sigmoid(c.Output.Apply(x, h))
	u := ops.Tanh(c.Update.Apply(x, h))
	f := ops.Sigmoid(c.Forget.ApplyEach(x, children.H))
	return lstmState(o, ops.Add(ops.Mul(i, u), ops.Sum(ops.Mul(f, children.C), 0)))
}

// NewChildSum adds the network that compares two sentences by their dependency trees.
// A ChildSumCell, in which x is the row of E of the node's word, gives the states ha
// and hb of the roots, which are compared as in section 4.2, equation 15:
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
	difference := NewLinear(m, "Wp", "b", c.Hidden, c.Similarity)
	head := NewLinear(m, "Wp2", "b2", c.Similarity, c.Classes)

	tree := treeSpec()
	model := recursion.Declare(m, "similarity", SentencePair{A: tree, B: tree, Score: graph.F32()}, graph.F32(c.Classes))
	return model.Define(func(p SentencePair) graph.Value {
		a, b := encode.Invoke(p.A).H, encode.Invoke(p.B).H
		hs := ops.Sigmoid(ops.Add(
			ops.MatVec(product, ops.Mul(a, b)),
			difference.Apply(ops.Abs(ops.Sub(a, b)))))
		logits := head.Apply(hs)
		recursion.Loss(divergence(sparseTarget(m, p.Score, c.Classes), ops.LogSoftmax(logits)))
		return ops.Softmax(logits)
	})
}

// newChildSumEncoder adds the recursion over one tree; its result is the state of
// the root.
func newChildSumEncoder(m *graph.Module, c ChildSumConfig) *recursion.SubGraph[Tree, LSTMState] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Embed)
	if c.FixedWords {
		m.Freeze(embedding.Table)
	}
	cell := NewChildSumCell(m, "", c.Embed, c.Hidden)

	state := lstmStateOf(c.Hidden)
	encode := recursion.Declare(m, "encode", treeSpec(), state)
	return encode.Define(func(t Tree) LSTMState {
		subtree := recursion.Declare(m, "subtree", graph.I32(), state)
		subtree.Define(func(j graph.Value) LSTMState {
			children := recursion.Map(t.children(j), subtree.Invoke)
			return cell.Node(embedding.Apply(ops.At(t.Word, j)), children)
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
