package gpu_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

// An event that cannot be asked for is an error of those who wait for it, not of others,
// and everybody is told once.
func TestOneEventFails(t *testing.T) {
	const events = 4
	for _, n := range []int{5, 6, 7, 8, 9} {
		b := setUp(t, fmt.Sprintf("cuEventQuery=%d:1", n), gpu.Options{})
		s := b.stream()
		x := b.alloc(s, 4)
		told := make(chan error, 2*events)
		for range events {
			for range 50 { // so much that no event is done when the call fails
				require.NoError(t, s.Fill(x, 0))
			}
			e, err := s.Record()
			require.NoError(t, err)
			e.Notify(func(err error) { told <- err })
			e.Release()
		}
		failed := 0
		within(t, func() {
			for range events {
				if err := <-told; err != nil {
					require.ErrorContains(t, err, "stream 0: event: cuEventQuery: an argument is out of range")
					failed++
				}
			}
		})
		require.Equal(t, 1, failed)
		require.NoError(t, b.device.Close())
		require.Empty(t, told)
	}
}

// Whoever waits when the device is closed is told of the work that Close waits for.
func TestCloseTellsOfSlowWork(t *testing.T) {
	b := setUp(t, "scheduler=threads", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 4<<15)
	require.NoError(t, s.Fill(x, 0))
	require.NoError(t, b.multiply(s, x, 2))
	e, err := s.Record()
	require.NoError(t, err)
	told := make(chan error, 1)
	e.Notify(func(err error) { told <- err })
	within(t, func() {
		require.NoError(t, b.device.Close())
		require.NoError(t, <-told)
	})
}

// What an unfinished Load or Alloc has taken is given back at once.
func TestFailuresGiveBack(t *testing.T) {
	b := setUp(t, "cuModuleGetFunction=3:1 cuMemsetD32Async=1:2", gpu.Options{Check: true})
	_, err := b.device.Load(testPTX)
	require.ErrorContains(t, err, "cuModuleGetFunction")
	require.EqualValues(t, 1, b.emulator.Count("modules"), "that of the test")
	s := b.stream()
	_, err = s.Alloc(1000)
	require.ErrorIs(t, err, gpu.ErrMemory)
	require.Zero(t, b.device.MemoryStats().InUse)
	x := b.alloc(s, 1000)
	require.NoError(t, s.Free(x))
	require.EqualValues(t, 1, b.device.MemoryStats().DriverCalls)
}
