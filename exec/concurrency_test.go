package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/graph"
)

func TestCancel(t *testing.T) {
	p, g := countProgram(t)
	for _, workers := range []int{1, 2} {
		s := session(t, p, Options{Workers: workers, MaxDepth: 1 << 30})
		for name, execute := range map[string]func(context.Context) error{
			"run": func(ctx context.Context) error { _, err := s.Run(ctx, g, runs(2, integer(1<<30))); return err },
			"gradients": func(ctx context.Context) error {
				_, err := s.Gradients(ctx, g, runs(2, integer(1<<30)), GradOptions{})
				return err
			},
		} {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			start := time.Now()
			err := execute(ctx)
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded, name)
			require.Less(t, time.Since(start), 2*time.Second, name)
			require.ErrorIs(t, execute(ctx), context.DeadlineExceeded, "a context that has ended before")
			require.Equal(t, []int32{5}, result(t, s, g, integer(5)).I)
		}
	}
}

// Cancelling one run leaves those that share its engine alone.
func TestCancelOneOfManyRuns(t *testing.T) {
	p, g := countProgram(t)
	s := session(t, p, Options{Workers: 1, MaxDepth: 1 << 30})
	ctx, cancel := context.WithCancel(context.Background())
	var endless, others errgroup.Group
	for range 2 {
		endless.Go(func() error { _, err := s.Run(ctx, g, runs(1, integer(1<<30))); return err })
	}
	for i := range int32(4) {
		others.Go(func() error {
			for n := range int32(50) {
				r, err := s.Run(context.Background(), g, runs(1, integer(100*i+n)))
				if err != nil {
					return err
				}
				if got := r.Outputs[0][0].I[0]; got != 100*i+n {
					return fmt.Errorf("got %d, want %d", got, 100*i+n)
				}
			}
			return nil
		})
	}
	require.NoError(t, others.Wait())
	cancel()
	require.ErrorIs(t, endless.Wait(), context.Canceled)
	require.Equal(t, []int32{9}, result(t, s, g, integer(9)).I)
}

// cancelAfter is a context that ends when it has been looked at n times.
type cancelAfter struct {
	context.Context
	n int
}

func (c *cancelAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// A gradient run looks at its context before every batch, also on the way back:
// wherever it is stopped, the next one is right.
func TestCancelGradientsAnywhere(t *testing.T) {
	p, g := treeProgram(t, 30, 4, 4, 3)
	s := session(t, p, Options{Workers: 1})
	trees := testTrees(3, 6)
	want, err := s.Gradients(context.Background(), g, trees, GradOptions{})
	require.NoError(t, err)
	bits := copyGradients(want.Gradients)
	stopped := 0
	for n := 0; ; n++ {
		r, err := s.Gradients(&cancelAfter{context.Background(), n}, g, trees, GradOptions{})
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, r == nil || r.Gradients == nil)
		stopped++
		r, err = s.Gradients(context.Background(), g, trees, GradOptions{})
		require.NoError(t, err)
		require.Equal(t, bits, copyGradients(r.Gradients))
	}
	t.Logf("stopped at %d places", stopped)
	require.Greater(t, stopped, 10)
}

func copyGradients(g *Gradients) (all [][]float32) {
	for i := range g.vars {
		all = append(all, slices.Clone(g.vars[i].Full()))
	}
	return all
}

func TestClose(t *testing.T) {
	p, g := fibProgram(t)
	s := session(t, p, Options{Workers: 2})
	var group errgroup.Group
	for range 4 {
		group.Go(func() error {
			for {
				r, err := s.Run(context.Background(), g, runs(3, integer(12)))
				if errors.Is(err, ErrClosed) {
					return nil
				}
				if err != nil {
					return err
				}
				if r.Outputs[2][0].I[0] != 144 {
					return errors.New("wrong result")
				}
				if _, err = s.Gradients(context.Background(), g, runs(1, integer(5)), GradOptions{}); err != nil && !errors.Is(err, ErrClosed) {
					return err
				}
			}
		})
	}
	closed := make(chan error, 2)
	for range 2 {
		go func() {
			time.Sleep(10 * time.Millisecond)
			closed <- s.Close()
		}()
	}
	first, second := <-closed, <-closed
	require.True(t, first == nil != (second == nil), "one of two Closes reports ErrClosed")
	require.ErrorIs(t, errors.Join(first, second), ErrClosed)
	require.NoError(t, group.Wait())
	_, err := s.Run(context.Background(), g, runs(1, integer(1)))
	require.ErrorIs(t, err, ErrClosed)
	_, err = s.Gradients(context.Background(), g, runs(1, integer(1)), GradOptions{})
	require.ErrorIs(t, err, ErrClosed)
}

// Engines that never run out of work must forget what has ended nevertheless: runs
// of various lengths overlap all the time here, and each needs a small part of the
// memory that the session may take.
func TestConstantLoad(t *testing.T) {
	p, g := sumProgram(t)
	s := session(t, p, Options{Workers: 1, Memory: 2 << 20})
	n := 2000
	if testing.Short() {
		n = 300
	}
	var group errgroup.Group
	for i := range uint64(6) {
		group.Go(func() error {
			rng := rand.New(rand.NewPCG(i, 2))
			for range n {
				depth := rng.Int32N(100)
				r, err := s.Run(context.Background(), g, runs(1, numbers(1, 2, 3, 4), integer(depth)))
				if err != nil {
					return err
				}
				if got := r.Outputs[0][0].F[0]; got != float32(depth+1) {
					return fmt.Errorf("depth %d gives %v", depth, got)
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	x := s.lanes[0].x
	t.Logf("%d roots, %d bytes", cap(x.roots), x.bytes())
	require.LessOrEqual(t, cap(x.roots), 64)
	require.LessOrEqual(t, x.bytes(), int64(2<<20))
}

// A run that takes long lets others through that share its engine.
func TestLongRunsDoNotHoldUpShortOnes(t *testing.T) {
	p, g := countProgram(t)
	s := session(t, p, Options{Workers: 1, Batching: 4, MaxDepth: 1 << 30})
	ctx, cancel := context.WithCancel(context.Background())
	var endless errgroup.Group
	for range 8 { // more than a batch holds
		endless.Go(func() error { _, err := s.Run(ctx, g, runs(1, integer(1<<30))); return err })
	}
	for n := range int32(20) {
		start := time.Now()
		require.Equal(t, []int32{n}, result(t, s, g, integer(n)).I)
		require.Less(t, time.Since(start), 5*time.Second)
	}
	cancel()
	require.ErrorIs(t, endless.Wait(), context.Canceled)
}

// Random load: runs and gradients of different programs' graphs, updates of
// parameters, cancellations and errors at the same time. Results are compared
// with those of a session of its own.
func TestStress(t *testing.T) {
	p, g := treeProgram(t, 30, 6, 5, 3)
	quiet := session(t, p, Options{Workers: 1})
	trees := testTrees(24, 10)
	want, err := quiet.Run(context.Background(), g, trees)
	require.NoError(t, err)
	duration := 1500 * time.Millisecond
	if testing.Short() {
		duration = 500 * time.Millisecond
	}
	for _, o := range []Options{{Workers: 1}, {Workers: 2, Batching: 5}, {Workers: 3, Memory: 64 << 20}} {
		o.Parameters = quiet.Parameters()
		s := session(t, p, o)
		deadline := time.Now().Add(duration / 3)
		var group errgroup.Group
		for worker := range uint64(6) {
			group.Go(func() error {
				rng := rand.New(rand.NewPCG(worker, 1))
				for time.Now().Before(deadline) {
					if err := stressOnce(rng, s, g, trees, want); err != nil {
						return err
					}
				}
				return nil
			})
		}
		require.NoError(t, group.Wait(), "%v", o)
		require.NoError(t, s.Close())
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() < 20 }, time.Second, 10*time.Millisecond)
}

// stressOnce does one random thing.
func stressOnce(rng *rand.Rand, s *Session, g *graph.Graph, trees [][]Array, want *Result) error {
	from := rng.IntN(len(trees))
	to := from + 1 + rng.IntN(min(6, len(trees)-from))
	in := slices.Clone(trees[from:to])
	ctx := context.Background()
	bad := -1
	switch rng.IntN(8) {
	case 0: // a word beyond the vocabulary
		bad = rng.IntN(len(in))
		broken := slices.Clone(in[bad])
		broken[0] = Array{Shape: broken[0].Shape, I: slices.Clone(broken[0].I)}
		broken[0].I[0] = 1000
		in[bad] = broken
	case 1:
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rng.IntN(300))*time.Microsecond)
		defer cancel()
	case 2:
		s.Parameters().Update(func([][]float32) {}) // nothing changes, but packed weights are out of date
	case 3:
		if _, err := s.Gradients(ctx, g, in, GradOptions{}); err != nil {
			return err
		}
	}
	r, err := s.Run(ctx, g, in)
	if ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if (err != nil) != (bad >= 0) {
		return fmt.Errorf("bad input %d: %w", bad, err)
	}
	for i := range in {
		if i == bad {
			continue
		}
		if d := differArray(want.Outputs[from+i][0], r.Outputs[i][0], 0); d != "" {
			return fmt.Errorf("input %d: %s", i, d)
		}
		if d := differTables(want.Tables[from+i], r.Tables[i], 0); d != "" {
			return fmt.Errorf("input %d: %s", i, d)
		}
	}
	return nil
}
