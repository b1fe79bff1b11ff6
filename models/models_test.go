package models_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
)

var constructors = map[string]func(m *graph.Module, size int){
	"treelstm": func(m *graph.Module, n int) {
		models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: n, Embed: n, Hidden: n, Classes: n})
	},
	"treernn": func(m *graph.Module, n int) {
		models.NewTreeRNN(m, models.TreeRNNConfig{Vocab: n, Hidden: n, Classes: n})
	},
	"rntn": func(m *graph.Module, n int) { models.NewRNTN(m, models.TreeRNNConfig{Vocab: n, Hidden: n, Classes: n}) },
	"similarity": func(m *graph.Module, n int) {
		models.NewChildSum(m, models.ChildSumConfig{Vocab: n, Embed: n, Hidden: n, Similarity: n, Classes: n})
	},
	"topdown": func(m *graph.Module, n int) {
		models.NewTopDown(m, models.TopDownConfig{Hidden: n, Out: n, MaxDepth: 6})
	},
	"gru": func(m *graph.Module, n int) { models.NewGRU(m, models.GRUConfig{Vocab: n, Embed: n, Hidden: n}) },
	"lstm": func(m *graph.Module, n int) {
		models.NewLSTM(m, models.LSTMConfig{Vocab: n, Embed: n, Hidden: n, Classes: n})
	},
	"mvrnn": func(m *graph.Module, n int) {
		models.NewMVRNN(m, models.MVRNNConfig{Vocab: n, Hidden: n, Rank: n, Classes: n})
	},
	"narytreelstm": func(m *graph.Module, n int) {
		models.NewNaryTreeLSTM(m, models.NaryTreeLSTMConfig{Vocab: n, Embed: n, Hidden: n, Arity: n, Classes: n})
	},
	"treegru": func(m *graph.Module, n int) {
		models.NewTreeGRU(m, models.TreeGRUConfig{Vocab: n, Embed: n, Hidden: n, Classes: n})
	},
	"attentivetreelstm": func(m *graph.Module, n int) {
		models.NewAttentiveTreeLSTM(m, models.AttentiveTreeLSTMConfig{Vocab: n, Embed: n, Hidden: n, Attention: n, Classes: n})
	},
	"score": func(m *graph.Module, n int) {
		models.NewTDTreeLSTM(m, models.TDTreeLSTMConfig{Vocab: n, Embed: n, Hidden: n})
	},
	"parse": func(m *graph.Module, n int) {
		models.NewSPINN(m, models.SPINNConfig{Vocab: n, Embed: n, Hidden: n, Track: n, Classes: n})
	},
	"decode": func(m *graph.Module, n int) {
		models.NewTreeToSequence(m, models.TreeToSequenceConfig{Vocab: n, Embed: n, Hidden: n, Outputs: n})
	},
	"dag": func(m *graph.Module, n int) { models.NewDAG(m, models.DAGConfig{Leaves: n, Hidden: n}) },
}

func TestModelsBuild(t *testing.T) {
	for name, add := range constructors {
		m := graph.NewModule(name)
		add(m, 4)
		p, err := m.Build()
		require.NoError(t, err, name)
		require.NotNil(t, p.Graph(name), name)
		for _, g := range p.Graphs {
			assert.Empty(t, g.Adjoint.Missing, "%s: every operator has a gradient rule", name)
		}
		again, err := graph.Parse(strings.NewReader(p.String()), recursion.Registry())
		require.NoError(t, err, name)
		assert.Equal(t, p.String(), again.String(), "%s: a printed program can be read", name)
	}
}

// A size that cannot be is reported at the line of the caller, not inside the model.
func TestImpossibleSizesAreReportedAtTheCaller(t *testing.T) {
	for name, add := range constructors {
		m := graph.NewModule(name)
		add(m, -3)
		_, err := m.Build()
		require.ErrorIs(t, err, graph.ErrShape, name)
		first, _, _ := strings.Cut(err.Error(), "\n")
		assert.Regexp(t, `^models_test\.go:\d+: Var "`, first, name)
	}
}

func TestTwoModelsDoNotShareVariables(t *testing.T) {
	m := graph.NewModule("twice")
	constructors["gru"](m, 4)
	_, _, line, _ := runtime.Caller(0)
	models.NewGRU(m, models.GRUConfig{Vocab: 4, Embed: 4, Hidden: 4})
	_, err := m.Build()
	require.ErrorIs(t, err, graph.ErrRedefined)
	assert.Contains(t, err.Error(), fmt.Sprintf(`models_test.go:%d: Var "E"`, line+1))
}

func ExampleNewTreeRNN() {
	m := graph.NewModule("sentiment")
	models.NewTreeRNN(m, models.TreeRNNConfig{Vocab: 1000, Hidden: 25, Classes: 5})
	p, err := m.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(p)
	// Output:
	// module sentiment
	//
	// var @E f32[1000 25]
	// var @W f32[25 50]
	// var @b f32[25]
	// var @Ws f32[5 25]
	// var @bs f32[5]
	//
	// graph treernn(%0 Word i32[?], %1 Left i32[?], %2 Right i32[?], %3 Label i32[?]) (f32[5]) {
	// 	%4 i32 = len %1
	// 	%5 i32 = sub %4, i32(1)
	// 	%6 f32[25] = invoke{&subtree} %5, %1, %3, %0, %2
	// 	%7 f32[5] = matmul{trans_a=false trans_b=true} %6, @Ws
	// 	%8 f32[5] = add %7, @bs
	// 	return %8
	// }
	//
	// graph subtree(%0 i32, %1 Left i32[?] captured treernn%1, %2 Label i32[?] captured treernn%3, %3 Word i32[?] captured treernn%0, %4 Right i32[?] captured treernn%2) (f32[25]) in treernn {
	// 	%5 i32 = at %1, %0
	// 	%6 bool = less %5, i32(0)
	// 	%7 f32[25] = select{&subtree.then &subtree.else} %6, %3, %0, %1, %4, %2
	// 	%8 f32[5] = matmul{trans_a=false trans_b=true} %7, @Ws
	// 	%9 f32[5] = add %8, @bs
	// 	collect{table="logits"} %0, %9
	// 	%10 i32 = at %2, %0
	// 	%11 bool = greater_equal %10, i32(0)
	// 	%12 f32 = cast{to=f32} %11
	// 	%13 i32 = maximum %10, i32(0)
	// 	%14 f32 = cross_entropy %9, %13
	// 	%15 f32 = mul %14, %12
	// 	loss %15
	// 	return %7
	// }
	//
	// body subtree.then(%0 Word i32[?] captured treernn%0, %1 i32 captured subtree%0, %2 Left i32[?] captured treernn%1, %3 Right i32[?] captured treernn%2, %4 Label i32[?] captured treernn%3) (f32[25]) in subtree {
	// 	%5 i32 = at %0, %1
	// 	%6 f32[25] = at @E, %5
	// 	return %6
	// }
	//
	// body subtree.else(%0 Word i32[?] captured treernn%0, %1 i32 captured subtree%0, %2 Left i32[?] captured treernn%1, %3 Right i32[?] captured treernn%2, %4 Label i32[?] captured treernn%3) (f32[25]) in subtree {
	// 	%5 i32 = at %2, %1
	// 	%6 f32[25] = invoke{&subtree} %5, %2, %4, %0, %3
	// 	%7 i32 = at %3, %1
	// 	%8 f32[25] = invoke{&subtree} %7, %2, %4, %0, %3
	// 	%9 f32[50] = concat{axis=0} %6, %8
	// 	%10 f32[25] = matmul{trans_a=false trans_b=true} %9, @W
	// 	%11 f32[25] = add %10, @b
	// 	%12 f32[25] = tanh %11
	// 	return %12
	// }
}

func BenchmarkBuild(b *testing.B) {
	nodes := 0
	for b.Loop() {
		m := graph.NewModule("bench")
		models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: 10, Embed: 4, Hidden: 4, Classes: 3})
		p, err := m.Build()
		if err != nil {
			b.Fatal(err)
		}
		nodes = 0
		for _, g := range p.Graphs {
			nodes += len(g.Nodes) + len(g.Adjoint.Body.Nodes)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*nodes), "µs/node")
}
