package exec

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// countdown is a chain of n invocations: each one waits for the next.
func countdown(t testing.TB) (*graph.Program, *graph.Graph) {
	return function(t, one{graph.I32()}, one{graph.I32()}, func(m *graph.Module, self *recursion.SubGraph[one, one], in one) one {
		return recursion.If(ops.Less(in.N, m.Int(1)), func() one { return in }, func() one {
			return one{ops.Add(self.Invoke(one{ops.Sub(in.N, m.Int(1))}).N, m.Int(1))}
		})
	})
}

func TestSpanOfAChainIsItsWork(t *testing.T) {
	p, g := countdown(t)
	s := session(t, p, Options{Workers: 1, Analyse: true})
	result(t, s, g, integer(20))
	one := s.Stats()
	assert.Equal(t, one.Rows, one.Work)
	assert.Equal(t, one.Work, one.Span, "nothing can be done at the same time")
	assert.Equal(t, 1.0, one.Parallelism())
	assert.Equal(t, one.Batches, one.LowerBound)
	assert.Positive(t, one.WorkTime)
	assert.Equal(t, one.WorkTime, one.SpanTime)

	result(t, s, g, integer(20))
	two := s.Stats()
	assert.Equal(t, []int64{2 * one.Work, 2 * one.Span, 2 * one.LowerBound}, []int64{two.Work, two.Span, two.LowerBound}, "one run after the other")
}

func TestSpanOfARunIsTheLongestOfItsInputs(t *testing.T) {
	p, g := countdown(t)
	for _, workers := range []int{1, 2} {
		s := session(t, p, Options{Workers: workers, Analyse: true})
		result(t, s, g, integer(20))
		alone := s.Stats()
		s.ResetStats()
		for _, gradients := range []bool{false, true} {
			s.ResetStats()
			var err error
			if in := runs(10, integer(20)); gradients {
				_, err = s.Gradients(context.Background(), g, in, GradOptions{})
			} else {
				_, err = s.Run(context.Background(), g, in)
			}
			require.NoError(t, err)
			st := s.Stats()
			assert.Equal(t, alone.Span, st.Span)
			assert.Equal(t, 10*alone.Work, st.Work)
			assert.Equal(t, 10.0, st.Parallelism())
			assert.GreaterOrEqual(t, st.WorkTime, st.SpanTime)
		}
	}
}

// Of fib's two calls neither waits for the other: the span grows with n, not with the
// number of calls.
func TestSpanOfATree(t *testing.T) {
	p, g := fibProgram(t)
	s := session(t, p, Options{Workers: 1, Analyse: true})
	spans := map[int32]int64{}
	for _, n := range []int32{5, 10, 15} {
		s.ResetStats()
		result(t, s, g, integer(n))
		spans[n] = s.Stats().Span
	}
	assert.Equal(t, spans[10]-spans[5], spans[15]-spans[10])
	st := s.Stats()
	assert.Greater(t, st.Parallelism(), 20.0)
}

// Runs that share an engine have spans of their own.
func TestSpansOfConcurrentRuns(t *testing.T) {
	const n = 8
	p, g := countdown(t)
	s := session(t, p, Options{Workers: 1, Analyse: true})
	result(t, s, g, integer(30))
	alone := s.Stats()
	done := make(chan error)
	for range n {
		go func() {
			_, err := s.Run(context.Background(), g, [][]Array{{integer(30)}})
			done <- err
		}()
	}
	for range n {
		require.NoError(t, <-done)
	}
	st := s.Stats()
	assert.Equal(t, (n+1)*alone.Work, st.Work)
	assert.Equal(t, (n+1)*alone.Span, st.Span)
}

func TestTimeIsMeasuredOnRequest(t *testing.T) {
	p, g := treeProgram(t, 30, 20, 20, 3)
	trees := testTrees(8, 12)
	for name, o := range map[string]Options{"analysed": {Analyse: true}, "profiled": {Profile: &Profile{}}, "traced": {Trace: new(strings.Builder)}, "plain": {}} {
		o.Workers = 2
		s := session(t, p, o)
		begun := time.Now()
		_, err := s.Gradients(context.Background(), g, trees, GradOptions{})
		require.NoError(t, err)
		_, err = s.Run(context.Background(), g, trees)
		require.NoError(t, err)
		wall := time.Since(begun)
		st := s.Stats()
		if name == "plain" {
			assert.Zero(t, st.Busy+st.Idle)
			assert.NotContains(t, st.String(), "busy")
			continue
		}
		assert.Positive(t, st.Busy, name)
		assert.Positive(t, st.Idle, name)
		assert.LessOrEqual(t, st.Busy+st.Idle, 2*wall, name)
		assert.Contains(t, st.String(), " busy=", name)
		assert.Equal(t, name == "analysed", strings.Contains(st.String(), "parallelism="), name)
		s.ResetStats()
		assert.Zero(t, s.Stats().Busy+s.Stats().Idle, name)
	}
}

// A worker without work is idle: a single input leaves the others without.
func TestWorkersWithoutWorkAreIdle(t *testing.T) {
	p, g := countdown(t)
	s := session(t, p, Options{Workers: 4, Analyse: true})
	result(t, s, g, integer(2000))
	st := s.Stats()
	assert.Greater(t, st.Idle, 3*st.Busy)
}
