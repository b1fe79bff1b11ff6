package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// faultyOp copies its input and now and then delays, fails in a row, fails as a
// whole or panics, also on the way back.
type faultyOp struct{ off *atomic.Bool }

func (faultyOp) Name() string        { return "faulty" }
func (faultyOp) Attrs() []graph.Attr { return nil }

func (faultyOp) Infer(in []graph.Type) ([]graph.Type, error) { return in, nil }

func (faultyOp) Eval(in []*ops.Tensor) (*ops.Tensor, error) { return in[0], nil }

func (o faultyOp) Gradient(_ *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{graph.Apply(o, ct)}
}

var errInjected = errors.New("injected")

func (o faultyOp) Lower([]graph.Type, graph.Type) ops.Lowering {
	return ops.Lowering{Rows: func(b *ops.Batch) error {
		for i := range b.N {
			copy(b.Out.Row(i, 1), b.In[0].Row(i, 1))
		}
		if o.off.Load() {
			return nil
		}
		switch r := rand.IntN(400); {
		case r < 20:
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
		case r < 30:
			return &ops.RowError{Row: rand.IntN(b.N), Err: errInjected}
		case r < 32:
			return errInjected
		case r < 34:
			panic("injected")
		}
		return nil
	}}
}

// Whatever fails when, runs that succeed are right, errors are those that were
// injected, and afterwards the session works as if nothing had been.
func TestFaults(t *testing.T) {
	type in struct{ X, N graph.Value }
	var off atomic.Bool
	p, g := function(t, in{graph.F32(), graph.I32()}, graph.F32(), func(m *graph.Module, self *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		return recursion.If(ops.Less(v.N, m.Int(1)), func() graph.Value { return graph.Apply(faultyOp{&off}, v.X) }, func() graph.Value {
			both := recursion.Map(ops.List(ops.Sub(v.N, m.Int(1)), ops.Sub(v.N, m.Int(2))), func(n graph.Value) graph.Value {
				return self.Invoke(in{v.X, n})
			})
			return graph.Apply(faultyOp{&off}, ops.Sum(both, 0))
		})
	})
	want := func(x float32, n int32) float32 { // the leaves of Fibonacci's tree
		a, b := float32(1), float32(1)
		for range n {
			a, b = a+b, a
		}
		return x * a
	}
	duration := 600 * time.Millisecond
	for _, o := range []Options{{Workers: 1}, {Workers: 2, Batching: 3}, {Workers: 2, Memory: 32 << 20}} {
		off.Store(false)
		s := session(t, p, o)
		deadline := time.Now().Add(duration / 3)
		var failures, successes atomic.Int32
		var group errgroup.Group
		for worker := range uint64(5) {
			group.Go(func() error {
				rng := rand.New(rand.NewPCG(worker, 9))
				for time.Now().Before(deadline) {
					inputs := make([][]Array, 1+rng.IntN(3))
					for i := range inputs {
						inputs[i] = []Array{number(float32(1 + rng.IntN(5))), integer(rng.Int32N(8))}
					}
					gradient := worker == 0
					r, err := executeEither(s, g, inputs, gradient)
					if err != nil {
						failures.Add(1)
						if !errors.Is(err, errInjected) && !errors.Is(err, ErrPanic) {
							return err
						}
					} else {
						successes.Add(1)
					}
					for i, in := range inputs {
						if r.Outputs[i] == nil {
							continue
						}
						x, n := in[0].F[0], in[1].I[0]
						if got := r.Outputs[i][0].F[0]; got != want(x, n) {
							return fmt.Errorf("%v of %d gives %v", x, n, got)
						}
						if gradient && err == nil && r.InputGrads[i][0].F[0] != want(1, n) {
							return fmt.Errorf("gradient of %d: %v", n, r.InputGrads[i][0])
						}
					}
				}
				return nil
			})
		}
		require.NoError(t, group.Wait(), "%v", o)
		t.Logf("%d failures, %d successes", failures.Load(), successes.Load())
		require.Positive(t, failures.Load())
		require.Positive(t, successes.Load())
		off.Store(true)
		require.Equal(t, []float32{want(2, 9)}, result(t, s, g, number(2), integer(9)).F)
		r, err := executeEither(s, g, runs(3, number(2), integer(9)), true)
		require.NoError(t, err)
		require.Equal(t, []float32{want(1, 9)}, r.InputGrads[2][0].F)
		require.NoError(t, s.Close())
	}
}

// executeEither runs inference, or a gradient run whose objective is the sum of
// the results.
func executeEither(s *Session, g *graph.Graph, inputs [][]Array, gradient bool) (*Result, error) {
	if !gradient {
		return s.Run(context.Background(), g, inputs)
	}
	cts := make([][]Array, len(inputs))
	for i := range cts {
		cts[i] = []Array{number(1)}
	}
	return s.Gradients(context.Background(), g, inputs, GradOptions{Cotangents: cts})
}
