package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// LSTMState is what an LSTM hands on: its output and its memory cell.
type LSTMState struct{ H, C graph.Value } // [hidden]

// lstmState is the state after the memory cell became c, with output gate o.
func lstmState(o, c graph.Value) LSTMState {
	return LSTMState{H: ops.Mul(o, ops.Tanh(c)), C: c}
}

// lstmStateOf describes the types of a state.
func lstmStateOf(hidden int) LSTMState {
	return LSTMState{H: graph.F32(hidden), C: graph.F32(hidden)}
}

// zeroLSTMState is the state before anything has been read.
func zeroLSTMState(m *graph.Module, hidden int) LSTMState {
	zero := m.Full(0, hidden)
	return LSTMState{H: zero, C: zero}
}

// LSTMCell is the unit of Hochreiter and Schmidhuber (Neural Computation 1997) with
// forget gates and without peepholes, as Tai, Socher and Manning state it (ACL 2015,
// section 2, equation 1):
//
//	[i f o u] = W x + U h + b
//	c' = σ(i) ⊙ tanh(u) + σ(f) ⊙ c      h' = σ(o) ⊙ tanh(c')
type LSTMCell struct{ W, U, B graph.Value } // [4·hidden in], [4·hidden hidden], [4·hidden]

// NewLSTMCell adds the variables of a cell, whose names end with the suffix.
func NewLSTMCell(m *graph.Module, suffix string, in, hidden int) LSTMCell {
	graph.Helper()
	return LSTMCell{
		W: m.Var("W"+suffix, graph.F32(4*hidden, in), graph.Xavier()),
		U: m.Var("U"+suffix, graph.F32(4*hidden, hidden), graph.Xavier()),
		B: m.Var("b"+suffix, graph.F32(4*hidden), graph.Zeros()),
	}
}

// Apply returns the next state: x [in].
func (c LSTMCell) Apply(x graph.Value, s LSTMState) LSTMState {
	g := ops.Split(ops.Add(ops.MatVec(c.W, x), ops.MatVec(c.U, s.H), c.B), 4)
	i, f, o, u := ops.Sigmoid(g[0]), ops.Sigmoid(g[1]), ops.Sigmoid(g[2]), ops.Tanh(g[3])
	return lstmState(o, ops.Add(ops.Mul(i, u), ops.Mul(f, s.C)))
}

// Sequence is a sequence of words with a class.
type Sequence struct {
	Word  graph.Value // [?]
	Label graph.Value // of the whole; negative if not known
}

// LSTMConfig holds the sizes of an LSTM that classifies sequences.
type LSTMConfig struct {
	Vocab   int // words
	Embed   int // elements of a word vector
	Hidden  int // elements of h and of c
	Classes int
	Dropout float64 // of word vectors, and of h where classes are told from it; see ops.Dropout
}

// NewLSTM adds an LSTMCell that reads a sequence. The state after n words is
//
//	run(0) = 0, 0
//	run(n) = Apply(x, run(n-1))   with x the row of E of word n
//
// The result are the logits Ws h + bs of the last state, the loss their cross-entropy.
func NewLSTM(m *graph.Module, c LSTMConfig) *recursion.SubGraph[Sequence, Scores] {
	graph.Helper()
	embedding := NewEmbedding(m, "E", c.Vocab, c.Embed)
	cell := NewLSTMCell(m, "", c.Embed, c.Hidden)
	head := NewLinear(m, "Ws", "bs", c.Hidden, c.Classes)

	model := recursion.Declare(m, "lstm", Sequence{Word: graph.I32(graph.Any), Label: graph.I32()}, Scores{Logits: graph.F32(c.Classes)})
	return model.Define(func(in Sequence) Scores {
		run := recursion.Declare(m, "run", graph.I32(), lstmStateOf(c.Hidden))
		run.Define(func(n graph.Value) LSTMState {
			return recursion.If(ops.Equal(n, m.Int(0)), func() LSTMState {
				return zeroLSTMState(m, c.Hidden)
			}, func() LSTMState {
				before := ops.Sub(n, m.Int(1))
				x := Dropout(embedding.Apply(ops.At(in.Word, before)), c.Dropout)
				return cell.Apply(x, run.Invoke(before))
			})
		})
		logits := head.Apply(Dropout(run.Invoke(ops.Len(in.Word)).H, c.Dropout))
		recursion.Loss(crossEntropyIfKnown(logits, in.Label))
		return Scores{logits}
	})
}
