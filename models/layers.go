package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Linear is the layer y = W x + b.
type Linear struct{ W, B graph.Value } // [out in], [out]

// NewLinear adds the variables of a layer under the names w and b: W [out in], with
// the initialiser of Glorot and Bengio, and b [out], zero at first.
func NewLinear(m *graph.Module, w, b string, in, out int) Linear {
	graph.Helper()
	return Linear{
		W: m.Var(w, graph.F32(out, in), graph.Xavier()),
		B: m.Var(b, graph.F32(out), graph.Zeros()),
	}
}

// Apply returns W x + b of a vector or of each element of a list: x [in] -> [out],
// x [? in] -> [? out].
func (l Linear) Apply(x graph.Value) graph.Value { return ops.Add(ops.MatVec(l.W, x), l.B) }

// Gate is W x + U h + b, what the gates of recurrent cells apply σ or tanh to.
type Gate struct{ W, U, B graph.Value } // [hidden in], [hidden hidden], [hidden]

// NewGate adds the variables of a gate, named W, U and b followed by the name of the
// gate.
func NewGate(m *graph.Module, name string, in, hidden int) Gate {
	graph.Helper()
	return Gate{
		W: m.Var("W"+name, graph.F32(hidden, in), graph.Xavier()),
		U: m.Var("U"+name, graph.F32(hidden, hidden), graph.Xavier()),
		B: m.Var("b"+name, graph.F32(hidden), graph.Zeros()),
	}
}

// Apply returns W x + U h + b: x [in], h [hidden] -> [hidden].
func (g Gate) Apply(x, h graph.Value) graph.Value {
	return ops.Add(ops.MatVec(g.W, x), ops.MatVec(g.U, h), g.B)
}

// ApplyEach is Apply with one x for each element of a list: x [in], hs [? hidden] ->
// [? hidden].
func (g Gate) ApplyEach(x, hs graph.Value) graph.Value {
	return ops.Add(ops.MatVec(g.U, hs), ops.Add(ops.MatVec(g.W, x), g.B))
}

// Embedding is a table with a vector for each word.
type Embedding struct{ Table graph.Value } // [words size]

// NewEmbedding adds a table whose elements are between -0.05 and 0.05 at first.
func NewEmbedding(m *graph.Module, name string, words, size int) Embedding {
	graph.Helper()
	return Embedding{m.Var(name, graph.F32(words, size), graph.Uniform(0.05))}
}

// Apply returns the vectors of words: [] -> [size], [?] -> [? size]. A number that is
// no word's is an error of the run.
func (e Embedding) Apply(word graph.Value) graph.Value { return ops.At(e.Table, word) }

// Dropout is ops.Dropout, without a trace in the program where the rate is 0.
func Dropout(x graph.Value, rate float64) graph.Value {
	if rate == 0 {
		return x
	}
	return ops.Dropout(x, rate)
}

// last is the index of the last element of a list.
func last(m *graph.Module, list graph.Value) graph.Value {
	return ops.Sub(ops.Len(list), m.Int(1))
}

// halfSquare is ½|x-y|².
func halfSquare(x, y graph.Value) graph.Value {
	return ops.MulScalar(ops.SquaredDistance(x, y), 0.5)
}
