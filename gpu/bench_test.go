package gpu_test

import (
	"testing"

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
