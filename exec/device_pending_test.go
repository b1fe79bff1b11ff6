package exec

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// A decision that depends on computed values costs one copy to the host per batch of
// frames, and one copy of index lists to the device.
func TestDecisionsOnDevicesAreFetchedPerBatch(t *testing.T) {
	p, g := growProgram(t, 6)
	calls := map[string]int{}
	on := host.New(host.Options{Failure: func(what string) error {
		name, _, _ := strings.Cut(what, " ")
		calls[name]++
		return nil
	}})
	s := session(t, p, Options{Workers: 1, Seed: 3, Device: on})
	_, err := s.Run(context.Background(), g, growInputs(6, 64))
	require.NoError(t, err)
	st := s.Stats()
	t.Logf("%v, calls %v", st, calls)
	assert.Greater(t, st.Frames, 5*st.Batches)
	assert.Positive(t, calls["Fetch"])
	assert.LessOrEqual(t, int64(calls["Fetch"]), st.Batches)
	assert.LessOrEqual(t, int64(calls["UploadInts"]), 2*st.Batches)
}

// While a batch waits for integers, the frames of other runs go on: runs that share an
// engine end in fewer waits than they have batches that compute integers.
func TestOtherRunsGoOnWhileABatchWaits(t *testing.T) {
	p, g := growProgram(t, 6)
	alone := session(t, p, Options{Workers: 1, Seed: 3})
	inputs := growInputs(6, 24)
	want, err := alone.Run(context.Background(), g, inputs)
	require.NoError(t, err)
	s := session(t, p, Options{Workers: 1, Seed: 3, Batching: 2, Device: host.New(host.Options{Poison: true, Check: true, SlowFetch: 7})})
	var runs errgroup.Group
	for i := range inputs {
		runs.Go(func() error {
			r, err := s.Run(context.Background(), g, inputs[i:i+1])
			if err != nil {
				return err
			}
			assert.Equal(t, want.Losses[i], r.Losses[0])
			return nil
		})
	}
	require.NoError(t, runs.Wait())
}

// Batches that wait keep their temporary floats, whatever is executed meanwhile.
func TestBatchesThatWaitKeepTemporaries(t *testing.T) {
	const d = 40
	m := graph.NewModule(t.Name())
	w := m.Var("w", graph.F32(d, d), graph.Uniform(1))
	table := m.Var("table", graph.F32(d, d), graph.Uniform(1))
	f := recursion.Declare(m, "main", graph.F32(d), graph.F32(d))
	f.Define(func(x graph.Value) graph.Value {
		y := ops.Tanh(ops.MatMul(x, w))
		best := ops.ArgMax(y, 0)
		recursion.Collect("best", best, best)
		z := ops.Mul(y, ops.At(table, best))
		recursion.Loss(ops.Sum(z))
		return ops.Softmax(z)
	})
	p, err := m.Build()
	require.NoError(t, err)
	inputs := growInputs(d, 64)
	for i := range inputs {
		inputs[i] = inputs[i][:1]
	}
	want, err := session(t, p, Options{Workers: 1}).Run(context.Background(), f.Graph(), inputs)
	require.NoError(t, err)
	for _, o := range []Options{{Batching: 3}, {Batching: BatchOff}, {Batching: 5, Deterministic: true}} {
		o.Workers, o.NoSharing, o.Device = 1, true, host.New(host.Options{Poison: true, Check: true, SlowFetch: 5})
		s := session(t, p, o)
		r, err := s.Run(context.Background(), f.Graph(), inputs)
		require.NoError(t, err)
		require.NoError(t, differ("on a device", want, r, 1e-5))
		g, err := s.Gradients(context.Background(), f.Graph(), inputs, GradOptions{})
		require.NoError(t, err)
		h, err := session(t, p, Options{Workers: 1}).Gradients(context.Background(), f.Graph(), inputs, GradOptions{})
		require.NoError(t, err)
		require.Empty(t, differFloats(h.Gradients.vars[0].Full(), g.Gradients.vars[0].Full(), 1e-5))
		require.NoError(t, s.Close())
		require.Zero(t, s.Options().Device.(*host.Device).Held())
	}
}

// Rows that a batch collected are not collected again when others of its rows fail.
func TestFailedRowsOnDevicesCollectOnce(t *testing.T) {
	m := graph.NewModule(t.Name())
	table := m.Var("table", graph.F32(4, 3), graph.Uniform(1))
	f := recursion.Declare(m, "main", graph.I32(), graph.F32())
	f.Define(func(i graph.Value) graph.Value {
		recursion.Collect("numbers", i, ops.Add(i, m.Int(1)))
		row := ops.At(table, i)
		recursion.Collect("rows", i, row)
		return ops.Sum(ops.Square(row))
	})
	p, err := m.Build()
	require.NoError(t, err)
	for _, on := range []device.Device{nil, host.New(host.Options{Poison: true})} {
		s := session(t, p, Options{Workers: 1, Device: on})
		r, err := s.Run(context.Background(), f.Graph(), [][]Array{scalar(1), scalar(7), scalar(3)})
		require.ErrorIs(t, err, ops.ErrIndex)
		for _, i := range []int{0, 2} {
			require.Equal(t, 1, r.Tables[i]["numbers"].Len(), "input %d", i)
			require.Equal(t, 1, r.Tables[i]["rows"].Len(), "input %d", i)
		}
	}
}

// Gradients have the same bits, however long integers are on their way.
func TestGradientsDoNotDependOnTime(t *testing.T) {
	const d = 40
	m := graph.NewModule(t.Name())
	w := m.Var("w", graph.F32(d, d), graph.Uniform(1))
	f := recursion.Declare(m, "main", graph.F32(d), graph.F32(d))
	f.Define(func(x graph.Value) graph.Value {
		y := ops.Tanh(ops.MatMul(x, w))
		return recursion.If(ops.Equal(ops.Mod(ops.ArgMax(y, 0), m.Int(2)), m.Int(0)), func() graph.Value {
			z := ops.Tanh(ops.MatVec(w, y))
			recursion.Loss(ops.Sum(z))
			return z
		}, func() graph.Value { return y })
	})
	p, err := m.Build()
	require.NoError(t, err)
	inputs := growInputs(d, 64)
	for i := range inputs {
		inputs[i] = inputs[i][:1]
	}
	var want []float32
	for _, slow := range []int{0, 1, 2, 3, 5, 1 << 20} {
		s := session(t, p, Options{Workers: 1, NoSharing: true, Batching: 5, Device: host.New(host.Options{SlowFetch: slow})})
		r, err := s.Gradients(context.Background(), f.Graph(), inputs, GradOptions{})
		require.NoError(t, err)
		got := r.Gradients.vars[0].Full()
		if want == nil {
			want = slices.Clone(got)
		}
		require.Empty(t, differFloats(want, got, 0), "%d times not done", slow)
		require.NoError(t, s.Close())
	}
}

// What batches that wait hold on the host counts against the limit, and so does what they
// leave for the next.
func TestBatchesThatWaitCountAgainstTheLimit(t *testing.T) {
	const d, length = 8, 500
	p, g := function(t, listed{graph.F32(d), graph.I32(graph.Any)}, graph.I32(), func(m *graph.Module, _ *recursion.SubGraph[listed, graph.Value], v listed) graph.Value {
		best := ops.ArgMax(ops.Tanh(v.X), 0)
		return ops.Sum(ops.Mul(ops.Add(v.List, best), v.List))
	})
	inputs := growInputs(d, 32)
	list := Array{Shape: []int{length}, I: make([]int32, length)}
	for i := range inputs {
		inputs[i][1] = list
	}
	o := Options{Workers: 1, NoSharing: true, Batching: 4, Device: host.New(host.Options{Check: true, SlowFetch: 100})}
	s := session(t, p, o)
	held := func() int64 {
		_, err := s.Run(context.Background(), g, inputs)
		require.NoError(t, err)
		x := s.lanes[0].x
		apart := 0
		for _, r := range x.dev.spare {
			for i := range r.ints {
				apart += cap(r.ints[i])
			}
			for i := range r.spaces {
				apart += cap(r.spaces[i].rowOf) + cap(r.spaces[i].flat)
			}
		}
		require.Len(t, x.dev.spare, 8, "batches that waited at the same time")
		require.GreaterOrEqual(t, apart, 7*4*length)
		require.Equal(t, apart, x.dev.apart)
		require.Greater(t, x.bytes(), 4*int64(apart+x.run.held()))
		require.Equal(t, x.bytes(), s.Stats().PeakBytes)
		return x.bytes()
	}
	first := held()
	require.Equal(t, first, held(), "a second run takes what the first left")
	o.Memory = 300_000 // more than there is without what waits
	_, err := session(t, p, o).Run(context.Background(), g, inputs)
	require.ErrorIs(t, err, ErrMemory)
}

type listed struct{ X, List graph.Value }

// A run that does not end keeps nobody else from running, also when all of them are the
// first on their device.
func TestAnEndlessRunKeepsNobodyFromRunning(t *testing.T) {
	p, g := function(t, graph.I32(), graph.I32(), func(m *graph.Module, self *recursion.SubGraph[graph.Value, graph.Value], n graph.Value) graph.Value {
		return recursion.If(ops.Equal(n, m.Int(0)), func() graph.Value { return n }, func() graph.Value { return self.Invoke(ops.Sub(n, m.Int(1))) })
	})
	params := NewParameters(p, 1)
	on := host.New(host.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	first := session(t, p, Options{Workers: 2, Device: on, Parameters: params, MaxDepth: 1 << 30})
	ended := make(chan error)
	go func() {
		_, err := first.Run(ctx, g, [][]Array{scalar(-1)})
		ended <- err
	}()
	for range 20 {
		s := session(t, p, Options{Workers: 2, Device: on, Parameters: params})
		var runs errgroup.Group
		for range 3 {
			runs.Go(func() error {
				_, err := s.Run(context.Background(), g, [][]Array{scalar(5)})
				return err
			})
		}
		require.NoError(t, runs.Wait())
		require.NoError(t, params.Sync())
		require.NoError(t, s.Close())
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.NoError(t, first.Close())
}
