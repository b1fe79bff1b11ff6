package exec

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

type one struct{ N graph.Value }

func fibProgram(t testing.TB) (*graph.Program, *graph.Graph) {
	m := graph.NewModule("fib")
	fib := recursion.Declare(m, "fib", one{graph.I32()}, one{graph.I32()})
	fib.Define(func(in one) one {
		return recursion.If(ops.Less(in.N, m.Int(2)), func() one { return in }, func() one {
			a := fib.Invoke(one{ops.Sub(in.N, m.Int(1))})
			b := fib.Invoke(one{ops.Sub(in.N, m.Int(2))})
			return one{ops.Add(a.N, b.N)}
		})
	})
	p, err := m.Build()
	require.NoError(t, err)
	return p, fib.Graph()
}

func scalar(i int32) []Array { return []Array{{I: []int32{i}}} }

func TestFib(t *testing.T) {
	p, g := fibProgram(t)
	for _, o := range []Options{{}, {Workers: 1, Batching: BatchOff}, {Workers: 1, Batching: 3}, {Reference: true}, {Workers: 1, Analyse: true}, {Workers: 1, Memory: 64 << 20}} {
		s, err := New(p, o)
		require.NoError(t, err)
		r, err := s.Run(context.Background(), g, [][]Array{scalar(10), scalar(1), scalar(20)})
		require.NoError(t, err)
		require.Equal(t, []int32{55}, r.Outputs[0][0].I)
		require.Equal(t, []int32{1}, r.Outputs[1][0].I)
		require.Equal(t, []int32{6765}, r.Outputs[2][0].I)
		t.Log(s.Stats())
	}
}

func BenchmarkFib25(b *testing.B) {
	p, g := fibProgram(b)
	s, err := New(p, Options{Workers: 1})
	require.NoError(b, err)
	in := [][]Array{scalar(25)}
	for b.Loop() {
		_, err := s.Run(context.Background(), g, in)
		require.NoError(b, err)
	}
	st := s.Stats()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(st.Frames), "ns/frame")
}

type tree struct{ Word, Left, Right, Label graph.Value }
type state struct{ C, H graph.Value }
type at struct{ I graph.Value }
type scores struct{ Logits graph.Value }

func treeProgram(t testing.TB, vocab, d, h, classes int) (*graph.Program, *graph.Graph) {
	m := graph.NewModule("treelstm")
	emb := m.Var("E", graph.F32(vocab, d), graph.Uniform(0.5))
	w, bw := m.Var("W", graph.F32(3*h, d), graph.Xavier()), m.Var("bW", graph.F32(3*h), graph.Uniform(0.1))
	u, bu := m.Var("U", graph.F32(5*h, 2*h), graph.Xavier()), m.Var("bU", graph.F32(5*h), graph.Uniform(0.1))
	ws, bs := m.Var("Ws", graph.F32(classes, h), graph.Xavier()), m.Var("bs", graph.F32(classes), graph.Uniform(0.1))
	n := graph.Any
	top := recursion.Declare(m, "classify", tree{graph.I32(n), graph.I32(n), graph.I32(n), graph.I32(n)}, scores{graph.F32(classes)})
	top.Define(func(tr tree) scores {
		sub := recursion.Declare(m, "subtree", at{graph.I32()}, state{graph.F32(h), graph.F32(h)})
		sub.Define(func(a at) state {
			left := ops.At(tr.Left, a.I)
			s := recursion.If(ops.Less(left, m.Int(0)), func() state {
				g := ops.Split(ops.Add(ops.MatMulT(ops.At(emb, ops.At(tr.Word, a.I)), w), bw), 3)
				c := ops.Mul(ops.Sigmoid(g[0]), ops.Tanh(g[2]))
				return state{c, ops.Mul(ops.Sigmoid(g[1]), ops.Tanh(c))}
			}, func() state {
				l, r := sub.Invoke(at{left}), sub.Invoke(at{ops.At(tr.Right, a.I)})
				g := ops.Split(ops.Add(ops.MatMulT(ops.Concat(l.H, r.H), u), bu), 5)
				c := ops.Add(ops.Mul(ops.Sigmoid(g[0]), ops.Tanh(g[4])), ops.Mul(ops.Sigmoid(g[1]), l.C), ops.Mul(ops.Sigmoid(g[2]), r.C))
				return state{c, ops.Mul(ops.Sigmoid(g[3]), ops.Tanh(c))}
			})
			logits := ops.Add(ops.MatMulT(s.H, ws), bs)
			recursion.Loss(ops.CrossEntropy(logits, ops.At(tr.Label, a.I)))
			recursion.Collect("logits", a.I, logits)
			return s
		})
		root := sub.Invoke(at{ops.Sub(ops.Len(tr.Word), m.Int(1))})
		return scores{ops.Add(ops.MatMulT(root.H, ws), bs)}
	})
	p, err := m.Build()
	require.NoError(t, err)
	return p, top.Graph()
}

// randomTree is a binary tree in post-order.
func randomTree(rng interface{ IntN(int) int }, leaves, vocab, classes int) []Array {
	var word, left, right, label []int32
	var build func(n int) int32
	build = func(n int) int32 {
		l, r, w := int32(-1), int32(-1), int32(0)
		if n == 1 {
			w = int32(rng.IntN(vocab))
		} else {
			k := 1 + rng.IntN(n-1)
			l, r = build(k), build(n-k)
		}
		word, left, right, label = append(word, w), append(left, l), append(right, r), append(label, int32(rng.IntN(classes)))
		return int32(len(word) - 1)
	}
	build(leaves)
	n := []int{len(word)}
	return []Array{{Shape: n, I: word}, {Shape: n, I: left}, {Shape: n, I: right}, {Shape: n, I: label}}
}
