package exec

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

type vectorAndCount struct{ X, N graph.Value }

// sumProgram adds a vector to itself n times, in n nested invocations that are no
// tail calls.
func sumProgram(t testing.TB) (*graph.Program, *graph.Graph) {
	return function(t, vectorAndCount{graph.F32(4), graph.I32()}, graph.F32(4),
		func(m *graph.Module, self *recursion.SubGraph[vectorAndCount, graph.Value], v vectorAndCount) graph.Value {
			return recursion.If(ops.Equal(v.N, m.Int(0)), func() graph.Value { return v.X }, func() graph.Value {
				return ops.Add(self.Invoke(vectorAndCount{v.X, ops.Sub(v.N, m.Int(1))}), v.X)
			})
		})
}

// countProgram counts to n in a loop.
func countProgram(t testing.TB) (*graph.Program, *graph.Graph) {
	return function(t, graph.I32(), graph.I32(), func(m *graph.Module, _ *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value {
		return recursion.Loop(m.Int(0), func(i graph.Value) graph.Value { return ops.Less(i, n) },
			func(i graph.Value) graph.Value { return ops.Add(i, m.Int(1)) })
	})
}

// A million nested invocations, forward and backward, on a stack of some
// kilobytes.
func TestMillionInvocationsDeep(t *testing.T) {
	depth := 1_000_000
	if testing.Short() {
		depth = 50_000
	}
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	p, g := sumProgram(t)
	s := session(t, p, Options{Workers: 1, MaxDepth: 2*depth + 2})
	in := []Array{numbers(1, 2, 0.5, -1), integer(int32(depth))}
	n := float32(depth + 1)
	r, err := s.Run(context.Background(), g, [][]Array{in})
	require.NoError(t, err)
	require.Equal(t, []float32{n, 2 * n, n / 2, -n}, r.Outputs[0][0].F)
	bytes := float64(s.Stats().PeakBytes)
	t.Logf("forward: %.0f bytes per invocation", bytes/float64(depth))
	assert.Less(t, bytes/float64(depth), 400.0)

	r, err = s.Gradients(context.Background(), g, [][]Array{in}, GradOptions{Cotangents: [][]Array{{numbers(1, 2, 3, 0.25)}}})
	require.NoError(t, err)
	require.Equal(t, []float32{n, 2 * n, n / 2, -n}, r.Outputs[0][0].F)
	require.Equal(t, []float32{n, 2 * n, 3 * n, n / 4}, r.InputGrads[0][0].F)
	bytes = float64(s.Stats().PeakBytes)
	t.Logf("with gradient: %.0f bytes per invocation", bytes/float64(depth))
	assert.Less(t, bytes/float64(depth), 1000.0)
}

func TestLoopTakesConstantMemory(t *testing.T) {
	p, g := countProgram(t)
	s := session(t, p, Options{Workers: 1, MaxDepth: 1 << 22})
	require.Equal(t, []int32{10}, result(t, s, g, integer(10)).I)
	few := s.Stats().PeakBytes
	const n = 1_000_000
	start := time.Now()
	require.Equal(t, []int32{n}, result(t, s, g, integer(n)).I)
	t.Logf("%.0f ns per iteration", float64(time.Since(start).Nanoseconds())/n)
	require.Less(t, s.Stats().PeakBytes, few+4096)
}

// Loops over floats without gradients reuse no rows: they take memory, as named
// rows stay until the run ends.
func TestLoopOverFloats(t *testing.T) {
	type st struct{ I, X graph.Value }
	p, g := function(t, st{graph.I32(), graph.F32(2)}, graph.F32(2), func(m *graph.Module, _ *recursion.SubGraph[st, graph.Value], in st) graph.Value {
		return recursion.Loop(st{m.Int(0), in.X}, func(s st) graph.Value { return ops.Less(s.I, in.I) },
			func(s st) st { return st{ops.Add(s.I, m.Int(1)), ops.AddScalar(s.X, 1)} }).X
	})
	s := session(t, p, Options{Workers: 1})
	require.Equal(t, []float32{20001, 20002}, result(t, s, g, integer(20000), numbers(1, 2)).F)
}

func TestEndlessRecursion(t *testing.T) {
	var o Options
	if testing.Short() {
		o.MaxDepth = 20_000 // the default is for a second without the race detector
	}
	tests := map[string]func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value{
		"tail": func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value {
			return self.Invoke(ops.Add(n, m.Int(1)))
		},
		"nested": func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value {
			return ops.Add(self.Invoke(ops.Add(n, m.Int(1))), n)
		},
		"nested in branches": func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value {
			return recursion.If(ops.Less(n, m.Int(0)), func() graph.Value { return n }, func() graph.Value {
				return ops.Add(self.Invoke(ops.Mod(ops.Add(n, m.Int(1)), m.Int(1000))), n)
			})
		},
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			p, g := function(t, graph.I32(), graph.I32(), body)
			s := session(t, p, o)
			start := time.Now()
			_, err := s.Run(context.Background(), g, [][]Array{{integer(1)}})
			assert.Less(t, time.Since(start), 5*time.Second) // a second on an idle machine
			t.Logf("%v after %v", err, time.Since(start))
			require.ErrorIs(t, err, ErrDepth)
			require.Less(t, len(err.Error()), 400, "the path must be short")
			if name != "tail" { // whose callers are gone
				require.Regexp(t, `main.* x\d{5,}`, err.Error())
			}
			_, err = s.Gradients(context.Background(), g, [][]Array{{integer(1)}}, GradOptions{})
			require.ErrorIs(t, err, ErrDepth)
		})
	}
}

// Endless recursion of one input leaves the others alone.
func TestDepthOfOneInput(t *testing.T) {
	p, g := countProgram(t)
	s := session(t, p, Options{Workers: 1, MaxDepth: 1000})
	r, err := s.Run(context.Background(), g, [][]Array{{integer(3)}, {integer(1 << 30)}, {integer(7)}})
	require.ErrorIs(t, err, ErrDepth)
	require.Equal(t, []int32{3}, r.Outputs[0][0].I)
	require.Nil(t, r.Outputs[1])
	require.Equal(t, []int32{7}, r.Outputs[2][0].I)
}

func TestMemoryLimit(t *testing.T) {
	p, g := sumProgram(t)
	s := session(t, p, Options{Workers: 1, Memory: 4 << 20})
	big := []Array{numbers(1, 1, 1, 1), integer(1_000_000)}
	small := []Array{numbers(1, 1, 1, 1), integer(100)}
	for range 3 {
		_, err := s.Run(context.Background(), g, [][]Array{big})
		require.ErrorIs(t, err, ErrMemory)
		require.Regexp(t, `\d{5,} bytes`, err.Error())
		require.Contains(t, err.Error(), "4194304", "the message has the limit")
		_, err = s.Gradients(context.Background(), g, [][]Array{big}, GradOptions{})
		require.ErrorIs(t, err, ErrMemory)
		require.Equal(t, []float32{101, 101, 101, 101}, result(t, s, g, small...).F)
		r, err := s.Gradients(context.Background(), g, [][]Array{small}, GradOptions{Cotangents: [][]Array{{numbers(1, 1, 1, 1)}}})
		require.NoError(t, err)
		require.Equal(t, []float32{101, 101, 101, 101}, r.InputGrads[0][0].F)
	}
	require.LessOrEqual(t, s.Stats().PeakBytes, int64(4<<20))
}

// When there are many frames, or memory is limited, invocations are finished before others
// are started: 150,049 invocations and as many branches would take 18 MB at once.
func TestFramesAreFew(t *testing.T) {
	p, g := fibProgram(t)
	free, limited := session(t, p, Options{Workers: 1}), session(t, p, Options{Workers: 1, Memory: 8 << 20})
	require.Equal(t, result(t, free, g, integer(24)).I, result(t, limited, g, integer(24)).I)
	t.Logf("%d bytes, limited %d", free.Stats().PeakBytes, limited.Stats().PeakBytes)
	require.Less(t, free.Stats().PeakBytes, int64(3<<20))
	require.Less(t, limited.Stats().PeakBytes, int64(1<<20))
}

// The memory of a run is used again by the next ones.
func TestRunsLeaveNothingBehind(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 1000
	}
	p, g := treeProgram(t, 30, 8, 6, 3)
	s := session(t, p, Options{Workers: 2})
	trees := testTrees(20, 12)
	step := func(i int) {
		if i%10 == 0 {
			_, err := s.Gradients(context.Background(), g, trees[i%16:i%16+3], GradOptions{})
			require.NoError(t, err)
			return
		}
		_, err := s.Run(context.Background(), g, trees[i%16:i%16+3])
		require.NoError(t, err)
	}
	measure := func() (heap uint64, goroutines int) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	for i := range n / 10 {
		step(i)
	}
	heap, goroutines := measure()
	for i := range n {
		step(i)
	}
	after, now := measure()
	t.Logf("heap %d bytes, then %d", heap, after)
	require.Less(t, after, heap+heap/5+1<<20)
	require.LessOrEqual(t, now, goroutines+1)
}
