package contender

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// cell holds the equations of models.NewTreeLSTM apart from its recursion, for
// programs that go through trees in another way.
type cell struct {
	m                        *graph.Module
	hidden, classes          int
	embedding                graph.Value
	w, bw, u, bu, head, bias graph.Value
}

// state is what a node hands to its parent.
type state struct{ H, C graph.Value } // [hidden]

// newCell adds the variables, whose names determine their initial values.
func newCell(m *graph.Module, s Setting) *cell {
	h, k := s.Hidden, s.Corpus.Classes
	weight := func(name string, out, in int) graph.Value { return m.Var(name, graph.F32(out, in), graph.Xavier()) }
	bias := func(name string, out int) graph.Value { return m.Var(name, graph.F32(out), graph.Zeros()) }
	return &cell{
		m: m, hidden: h, classes: k,
		embedding: m.Var("E", graph.F32(s.Corpus.Vocab, s.Embed), graph.Uniform(0.05)),
		w:         weight("W", 3*h, s.Embed), bw: bias("bW", 3*h),
		u: weight("U", 5*h, 2*h), bu: bias("bU", 5*h),
		head: weight("Ws", k, h), bias: bias("bs", k),
	}
}

func (c *cell) leaf(word graph.Value) state {
	g := ops.Split(ops.Add(ops.MatVec(c.w, ops.At(c.embedding, word)), c.bw), 3)
	return output(g[1], ops.Mul(ops.Sigmoid(g[0]), ops.Tanh(g[2])))
}

func (c *cell) inner(l, r state) state {
	g := ops.Split(ops.Add(ops.MatVec(c.u, ops.Concat(l.H, r.H)), c.bu), 5)
	return output(g[3], ops.Add(
		ops.Mul(ops.Sigmoid(g[0]), ops.Tanh(g[4])),
		ops.Mul(ops.Sigmoid(g[1]), l.C),
		ops.Mul(ops.Sigmoid(g[2]), r.C)))
}

func output(o, c graph.Value) state { return state{ops.Mul(ops.Sigmoid(o), ops.Tanh(c)), c} }

func (c *cell) logits(h graph.Value) graph.Value { return ops.Add(ops.MatVec(c.head, h), c.bias) }

// loss adds the loss of a node to the objective.
func (c *cell) loss(h, label graph.Value) {
	recursion.Loss(ops.CrossEntropy(c.logits(h), label))
}
