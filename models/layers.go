package models

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// affine is y = W x + b.
type affine struct{ w, b graph.Value } // [out in], [out]

func newAffine(m *graph.Module, w, b string, in, out int) affine {
	graph.Helper()
	return affine{
		w: m.Var(w, graph.F32(out, in), graph.Xavier()),
		b: m.Var(b, graph.F32(out), graph.Zeros()),
	}
}

func (a affine) of(x graph.Value) graph.Value { return ops.Add(ops.MatVec(a.w, x), a.b) }

// gate is W x + U h + b, what the gates of recurrent cells apply σ or tanh to.
type gate struct{ w, u, b graph.Value } // [hidden in], [hidden hidden], [hidden]

// newGate names the variables W, U and b followed by the name of the gate.
func newGate(m *graph.Module, name string, in, hidden int) gate {
	graph.Helper()
	return gate{
		w: m.Var("W"+name, graph.F32(hidden, in), graph.Xavier()),
		u: m.Var("U"+name, graph.F32(hidden, hidden), graph.Xavier()),
		b: m.Var("b"+name, graph.F32(hidden), graph.Zeros()),
	}
}

func (g gate) of(x, h graph.Value) graph.Value {
	return ops.Add(ops.MatVec(g.w, x), ops.MatVec(g.u, h), g.b)
}

// newEmbedding is a table of vectors [n size].
func newEmbedding(m *graph.Module, name string, n, size int) graph.Value {
	graph.Helper()
	return m.Var(name, graph.F32(n, size), graph.Uniform(0.05))
}

// dropout leaves out what would do nothing, so that a model without dropout has no
// trace of it.
func dropout(x graph.Value, rate float64) graph.Value {
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
