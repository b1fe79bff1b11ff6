package gpu_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// BenchmarkIssue measures what issuing costs the program, the driver's part
// included. On the emulated device the work is done on other threads.
func BenchmarkIssue(b *testing.B) {
	for name, check := range map[string]bool{"plain": false, "check": true} {
		b.Run(name, func(b *testing.B) {
			device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: emulator.Library(b, "scheduler=threads"), Check: check})
			require.NoError(b, err)
			defer device.Close()
			s, err := device.NewStream()
			require.NoError(b, err)
			x, err := s.Alloc(4)
			require.NoError(b, err)
			b.Run("fill", func(b *testing.B) {
				for b.Loop() {
					require.NoError(b, s.Fill(x, 0))
				}
			})
			b.Run("record and wait", func(b *testing.B) { recordAndWait(b, device, s) })
			b.Run("alloc and free", func(b *testing.B) {
				for b.Loop() {
					y, err := s.Alloc(1000)
					require.NoError(b, err)
					require.NoError(b, s.Free(y))
				}
			})
			require.NoError(b, device.Synchronize())
		})
	}
}

func recordAndWait(b *testing.B, device *gpu.Device, s *gpu.Stream) {
	other, err := device.NewStream()
	require.NoError(b, err)
	for b.Loop() {
		e, err := s.Record()
		require.NoError(b, err)
		require.NoError(b, other.Wait(e))
		e.Release()
	}
}

// BenchmarkRoundTrip measures from issuing a little work to the goroutine that waits
// for it.
func BenchmarkRoundTrip(b *testing.B) {
	device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: emulator.Library(b, "scheduler=threads")})
	require.NoError(b, err)
	defer device.Close()
	s, err := device.NewStream()
	require.NoError(b, err)
	x, err := s.Alloc(4)
	require.NoError(b, err)
	for b.Loop() {
		require.NoError(b, s.Fill(x, 0))
		e, err := s.Record()
		require.NoError(b, err)
		require.NoError(b, e.Wait(ctx))
		e.Release()
	}
}

// BenchmarkWait measures waits for events that need no waiting: one that is known to be
// done, and those that the device has reached but nobody has asked for.
func BenchmarkWait(b *testing.B) {
	device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: emulator.Library(b, "scheduler=threads")})
	require.NoError(b, err)
	defer device.Close()
	s, err := device.NewStream()
	require.NoError(b, err)
	b.Run("known", func(b *testing.B) {
		e := reachedEvents(b, s, 1)[0]
		for b.Loop() {
			if err := e.Wait(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reached", func(b *testing.B) {
		const batch = 1000
		b.ReportMetric(0, "ns/op")
		var waiting time.Duration
		rounds := 0
		for b.Loop() {
			events := reachedEvents(b, s, batch)
			start := time.Now()
			for _, e := range events {
				if err := e.Wait(ctx); err != nil {
					b.Fatal(err)
				}
			}
			waiting += time.Since(start)
			rounds++
			for _, e := range events {
				e.Release()
			}
		}
		b.ReportMetric(float64(waiting.Nanoseconds())/float64(batch*rounds), "ns/wait")
	})
}

// reachedEvents returns events that the device has reached, without asking for them.
func reachedEvents(b testing.TB, s *gpu.Stream, n int) []*gpu.Event {
	b.Helper()
	events := make([]*gpu.Event, n)
	for i := range events {
		var err error
		events[i], err = s.Record()
		require.NoError(b, err)
	}
	require.NoError(b, s.Device().Synchronize())
	return events
}

// A wait that is over, or over at once, makes no garbage.
func TestWaitDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	b := setUpAnywhere(t, "scheduler=threads", gpu.Options{})
	events := reachedEvents(t, b.stream(), 101)
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = events[n].Wait(ctx)
		n++
	}))
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = events[0].Wait(ctx) }))
}
