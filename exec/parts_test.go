package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/randprog"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// TestPartsReadTwice reads elements of a product both as a part of it and otherwise:
// what is in place for one reader must not be written over what another has added.
func TestPartsReadTwice(t *testing.T) {
	const d = 32
	type vectors = []graph.Value
	cases := map[string]func(m *graph.Module, y graph.Value) vectors{
		"a part, then the whole": func(m *graph.Module, y graph.Value) vectors {
			part := ops.Tanh(ops.Slice(y, 0, d, 2*d))
			v := m.Var("v", graph.F32(d, d), graph.Xavier())
			u := m.Var("u", graph.F32(d, 3*d), graph.Xavier())
			return vectors{ops.MatVec(v, part), ops.MatVec(u, y)}
		},
		"the whole, then a part": func(m *graph.Module, y graph.Value) vectors {
			v := m.Var("v", graph.F32(d, d), graph.Xavier())
			u := m.Var("u", graph.F32(d, 3*d), graph.Xavier())
			whole := ops.MatVec(u, y)
			return vectors{ops.MatVec(v, ops.Tanh(ops.Slice(y, 0, d, 2*d))), whole}
		},
		"parts that overlap": func(m *graph.Module, y graph.Value) vectors {
			a, b := ops.Slice(y, 0, d, 2*d), ops.Slice(y, 0, d+5, 2*d+5)
			v := m.Var("v", graph.F32(d, d), graph.Xavier())
			return vectors{ops.MatVec(v, ops.Sigmoid(a)), ops.MatVec(v, ops.Tanh(b))}
		},
		"sums side by side, each with the one before it": func(m *graph.Module, y graph.Value) vectors {
			var sums vectors
			for _, name := range []string{"s", "t", "u", "v"} {
				z := ops.MatVec(m.Var(name, graph.F32(d, 3*d), graph.Xavier()), y)
				if n := len(sums); n > 0 {
					z = ops.Add(z, sums[n-1])
				}
				sums = append(sums, z)
			}
			return vectors{ops.Mul(ops.Tanh(sums[0]), ops.Tanh(sums[1])), ops.Mul(ops.Tanh(sums[2]), ops.Tanh(sums[3]))}
		},
		"a sum beside a sum that reads it": func(m *graph.Module, y graph.Value) vectors {
			v := m.Var("v", graph.F32(d, 3*d), graph.Xavier())
			u := m.Var("u", graph.F32(d, 3*d), graph.Xavier())
			first := ops.MatVec(v, y)
			second := ops.Add(ops.MatVec(m.Var("r", graph.F32(d, d), graph.Xavier()), first), ops.MatVec(u, y))
			recursion.Loss(ops.Dot(first, second)) // read by another stage: their cotangents have names
			return vectors{ops.Tanh(first), ops.Tanh(second)}
		},
	}
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			out := vectors{graph.F32(d), graph.F32(d)}
			built, main := function(t, vectors{graph.F32(d)}, out, func(m *graph.Module, _ *recursion.SubGraph[vectors, vectors], in vectors) vectors {
				return body(m, ops.MatVec(m.Var("w", graph.F32(3*d, d), graph.Xavier()), in[0]))
			})
			c := &programCase{Program: &randprog.Program{Seed: 1, Built: built, Main: main}, grad: GradOptions{Tables: true}}
			for i := range 3 {
				x := make([]float32, d)
				for j := range x {
					x[j] = float32((7*i+3*j)%11)/11 - 0.4
				}
				c.inputs = append(c.inputs, []Array{numbers(x...)})
			}
			require.NoError(t, c.check(configs(1)))
		})
	}
}
