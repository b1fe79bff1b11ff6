package exec

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
)

// Memory of a device counts against the limit, in runs and on the way back, and the error
// has the numbers. What a session keeps beside its engines are parameters.
func TestMemoryOfADeviceIsLimited(t *testing.T) {
	const limit = 1 << 20
	p, g := sumProgram(t)
	d := host.New(host.Options{Poison: true, Check: true})
	s := session(t, p, Options{Workers: 1, Device: d, Memory: limit})
	big, small := []Array{numbers(1, 1, 1, 1), integer(1_000_000)}, []Array{numbers(1, 1, 1, 1), integer(100)}
	cts := [][]Array{{numbers(1, 1, 1, 1)}}
	for range 3 {
		_, err := s.Run(context.Background(), g, [][]Array{big})
		require.ErrorIs(t, err, ErrMemory)
		require.Regexp(t, `\d{4,} bytes are held and \d+ more needed, the limit per worker is 1048576`, err.Error())
		_, err = s.Gradients(context.Background(), g, [][]Array{big}, GradOptions{Cotangents: cts})
		require.ErrorIs(t, err, ErrMemory)
		require.Equal(t, []float32{101, 101, 101, 101}, result(t, s, g, small...).F)
		r, err := s.Gradients(context.Background(), g, [][]Array{small}, GradOptions{Cotangents: cts})
		require.NoError(t, err)
		require.Equal(t, []float32{101, 101, 101, 101}, r.InputGrads[0][0].F)
		require.LessOrEqual(t, 4*d.Held().Words, 2*limit, "an engine for runs, another for gradients")
	}
	require.LessOrEqual(t, s.Stats().PeakBytes, int64(limit))
	require.NoError(t, s.Close())
	require.Zero(t, d.Held())
}

// Ten thousand runs, steps among them, leave nothing on the device and nothing on the host.
func TestRunsOnADeviceLeaveNothingBehind(t *testing.T) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	w := listWorkload(t)
	d := host.New(host.Options{Check: true, Without: w.without})
	s := session(t, w.prog, Options{Workers: 2, Device: d})
	var state DeviceState
	some := *w
	step := func(i int) {
		some.inputs = w.inputs[i%4 : i%4+2]
		some.cts = w.cts[:2]
		var err error
		switch {
		case i%20 == 0:
			_, err = some.stepped(s, &state)
		case i%10 == 0:
			_, err = some.differentiate(s)
		default:
			_, err = some.infer(s)
		}
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
	held := d.Held()
	heap, goroutines := measure()
	for i := range n {
		step(i)
	}
	after, now := measure()
	t.Logf("%+v, then %+v; heap %d bytes, then %d", held, d.Held(), heap, after)
	require.Equal(t, held.Streams, d.Held().Streams)
	require.Zero(t, d.Held().Fetches)
	require.LessOrEqual(t, d.Held().Events, held.Streams)
	require.LessOrEqual(t, d.Held().Buffers, held.Buffers)
	require.LessOrEqual(t, d.Held().Words, held.Words)
	require.Less(t, after, heap+heap/5+1<<20)
	require.LessOrEqual(t, now, goroutines+1)
	require.NoError(t, s.Close())
	require.NoError(t, state.Discard())
	require.Zero(t, d.Held())
}

// A run that is like those before it allocates little more on a device than on the
// processor: the calls to the device and its buffers.
func TestAllocationsOfRunsOnADevice(t *testing.T) {
	w := treeWorkload(t)
	perRun := func(o Options, run func(s *Session) (*outcome, error)) float64 {
		s := session(t, w.prog, o)
		defer s.Close()
		return testing.AllocsPerRun(20, func() {
			_, err := run(s)
			require.NoError(t, err)
		})
	}
	for name, run := range map[string]func(s *Session) (*outcome, error){"inference": w.infer, "gradients": w.differentiate} {
		on := &faulty{}
		on.Device = host.New(host.Options{Failure: func(string) error { on.asked.Add(1); return nil }})
		device := perRun(Options{Workers: 1, Device: on}, run)
		calls := float64(on.asked.Load()) / 21
		processor := perRun(Options{Workers: 1}, run)
		t.Logf("%s: %.0f allocations for %.0f calls, %.0f on the processor", name, device, calls, processor)
		require.Less(t, device, processor+2*calls)
	}
}
