package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Chain is a sequence of words with the state that it should lead to.
type Chain struct {
	Word   graph.Value // [?]
	Target graph.Value // [hidden]
}

// GRUConfig holds the sizes of a gated recurrent network.
type GRUConfig struct {
	Vocab      int  // words
	Embed      int  // elements of a word vector
	Hidden     int  // elements of h
	EveryState bool // the loss compares every state with the target, not the last alone
}

// GRUCell is the gated unit of Cho et al. (EMNLP 2014, section 2.3, equations 5-8):
//
//	z = σ(Wz x + Uz h + bz)      r = σ(Wr x + Ur h + br)
//	u = tanh(Wc x + Uc (r ⊙ h) + bc)
//	Apply(x, h) = z ⊙ h + (1 - z) ⊙ u
//
// z keeps the old state and r acts before Uc, as in the paper; others exchange
// both. The paper leaves the biases out.
type GRUCell struct{ Keep, Reset, Update Gate }

// NewGRUCell adds the variables of a cell, whose names end with the suffix.
func NewGRUCell(m *graph.Module, suffix string, in, hidden int) GRUCell {
	graph.Helper()
	return GRUCell{
		Keep:   NewGate(m, "z"+suffix, in, hidden),
		Reset:  NewGate(m, "r"+suffix, in, hidden),
		Update: NewGate(m, "c"+suffix, in, hidden),
	}
}

// Step returns the next state: x [in], h [hidden] -> [hidden].
func (c GRUCell) Apply(x, h graph.Value) graph.Value {
	z := ops.Sigmoid(c.Keep.Apply(x, h))
	r := ops.Sigmoid(c.Reset.Apply(x, h))
	u := ops.Tanh(c.Update.Apply(x, ops.Mul(r, h)))
	return interpolate(z, h, u)
}

// interpolate returns z ⊙ a + (1 - z) ⊙ b.
func interpolate(z, a, b graph.Value) graph.Value {
	return ops.Add(ops.Mul(z, a), ops.Mul(ops.Sub(z.Module().Float(1), z), b))
}

// NewGRU adds a GRUCell that runs along a chain. The state after n words is
//
//	run(0) = 0
//	run(n) = Apply(x, run(n-1))   with x the row of E of word n
//
// The loss is ½|h - target|²; the result is the last state [hidden].
func NewGRU(m *graph.Module, c GRUConfig) *recursion.SubGraph[Chain, graph.Value] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Embed)
	cell := NewGRUCell(m, "", c.Embed, c.Hidden)

	model := recursion.Declare(m, "gru", Chain{Word: graph.I32(graph.Any), Target: graph.F32(c.Hidden)}, graph.F32(c.Hidden))
	return model.Define(func(in Chain) graph.Value {
		run := recursion.Declare(m, "run", graph.I32(), graph.F32(c.Hidden))
		run.Define(func(n graph.Value) graph.Value {
			return recursion.If(ops.Equal(n, m.Int(0)), func() graph.Value {
				return m.Full(0, c.Hidden)
			}, func() graph.Value {
				before := ops.Sub(n, m.Int(1))
				h := cell.Apply(embedding.Apply(ops.At(in.Word, before)), run.Invoke(before))
				if c.EveryState {
					recursion.Loss(halfSquare(h, in.Target))
				}
				return h
			})
		})
		h := run.Invoke(ops.Len(in.Word))
		if !c.EveryState {
			recursion.Loss(halfSquare(h, in.Target))
		}
		return h
	})
}
