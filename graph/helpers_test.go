package graph_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// here returns file:line of its caller, moved by some lines.
func here(lines int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+lines)
}

// lines splits the text of a joined error.
func lines(err error) []string { return strings.Split(err.Error(), "\n") }

// define adds a graph called main with one input and one result.
func define(m *graph.Module, in, out graph.Value, body func(x graph.Value) graph.Value) {
	graph.Helper()
	recursion.Declare(m, "main", in, out).Define(body)
}

func build(t testing.TB, add func(m *graph.Module)) *graph.Program {
	t.Helper()
	m := graph.NewModule("test")
	add(m)
	p, err := m.Build()
	require.NoError(t, err)
	return p
}

// programs are what printing, parsing and drawing are tested with.
var programs = map[string]func(m *graph.Module){
	"treelstm": func(m *graph.Module) {
		models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: 10, Embed: 3, Hidden: 2, Classes: 5})
	},
	"rntn": func(m *graph.Module) { models.NewRNTN(m, models.TreeRNNConfig{Vocab: 10, Hidden: 2, Classes: 5}) },
	"childsum": func(m *graph.Module) {
		models.NewChildSum(m, models.ChildSumConfig{Vocab: 10, Embed: 3, Hidden: 2, Similarity: 4, Classes: 5})
	},
	"topdown": func(m *graph.Module) { models.NewTopDown(m, models.TopDownConfig{Hidden: 3, Out: 2, MaxDepth: 6}) },
	"gru":     func(m *graph.Module) { models.NewGRU(m, models.GRUConfig{Vocab: 10, Embed: 3, Hidden: 2}) },
	"dag":     func(m *graph.Module) { models.NewDAG(m, models.DAGConfig{Leaves: 10, Hidden: 3}) },
	"names": func(m *graph.Module) {
		m.Name = "two words"
		w := m.Var("a \"quoted\" name", graph.F32(2), graph.Zeros())
		m.Freeze(w)
		m.Declare("f32", []graph.Value{graph.F32(2), graph.F32(), graph.F32()}, []graph.Value{graph.F32(2)}).
			Define([]string{"f32", "captured", "i32[? 2]"}, func(p []graph.Value) []graph.Value {
				return []graph.Value{ops.Mul(ops.Mul(p[0], p[1]), ops.Mul(w, p[2]))}
			})
		m.Declare("", nil, nil).Define(nil, func([]graph.Value) []graph.Value { return nil })
	},
	"constants": func(m *graph.Module) {
		define(m, graph.F32(3), graph.F32(3), func(x graph.Value) graph.Value {
			x = ops.Mul(x, m.Floats([]float32{0.1, -1e-20, 3e38}, 3))
			x = ops.Dropout(ops.MulScalar(ops.AddScalar(x, 2), 1e-3), 0.5)
			return recursion.Switch(m.Int(-7), func() graph.Value { return x }, func() graph.Value {
				return ops.Where(m.True(true), x, m.Full(0, 3))
			})
		})
	},
	"mutual": func(m *graph.Module) {
		even := recursion.Declare(m, "even", graph.I32(), graph.Bool())
		odd := recursion.Declare(m, "odd", graph.I32(), graph.Bool())
		for _, f := range []struct {
			self, other *recursion.SubGraph[graph.Value, graph.Value]
			atZero      bool
		}{{even, odd, true}, {odd, even, false}} {
			f.self.Define(func(n graph.Value) graph.Value {
				return recursion.If(ops.Equal(n, m.Int(0)),
					func() graph.Value { return m.True(f.atZero) },
					func() graph.Value { return f.other.Invoke(ops.Sub(n, m.Int(1))) })
			})
		}
	},
}
