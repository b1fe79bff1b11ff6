package gpu

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// openSmallRing opens an emulated device whose streams have a ring of four pieces of
// 1 KiB, and a stream.
func openSmallRing(t *testing.T, configuration string) (*Device, *Stream) {
	t.Helper()
	d, err := Open(Options{Binding: emulator.Binding, Library: emulator.Open(t, configuration).Library, Staging: 4096})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	s, err := d.NewStream()
	require.NoError(t, err)
	return d, s
}

// Pieces of the ring are not used again before their copies are done: a ring that has
// forgotten them sends the wrong bytes.
func TestRingWaitsForItsPieces(t *testing.T) {
	for _, forgetful := range []bool{false, true} {
		_, s := openSmallRing(t, "")
		x, err := s.Alloc(4096)
		require.NoError(t, err)
		y, err := s.Alloc(4096)
		require.NoError(t, err)
		first, second := bytes.Repeat([]byte{1}, 4096), bytes.Repeat([]byte{2}, 4096)
		require.NoError(t, s.Upload(context.Background(), x, first))
		require.Len(t, s.staging.inFlight, 4)
		if forgetful {
			for len(s.staging.inFlight) > 0 {
				s.staging.forgetOldest()
			}
		}
		require.NoError(t, s.Upload(context.Background(), y, second))
		got := make([]byte, 4096)
		require.NoError(t, s.Download(context.Background(), got, x))
		require.Equal(t, !forgetful, bytes.Equal(first, got))
	}
}

// A piece whose event could not be recorded is free when the error is reported.
func TestRingWaitsWithoutEvent(t *testing.T) {
	for _, call := range []string{"cuEventCreate", "cuEventRecord"} {
		_, s := openSmallRing(t, call+"=1:2")
		x, err := s.Alloc(1024)
		require.NoError(t, err)
		y, err := s.Alloc(4096)
		require.NoError(t, err)
		first := bytes.Repeat([]byte{1}, 1024)
		require.ErrorIs(t, s.Upload(context.Background(), x, first), ErrMemory)
		require.NoError(t, s.Upload(context.Background(), y, make([]byte, 4096)))
		got := make([]byte, 1024)
		require.NoError(t, s.Download(context.Background(), got, x))
		require.Equal(t, first, got, call)
	}
}

// The device may be closed when a download has waited and not yet taken its bytes.
func TestRingOfClosedDevice(t *testing.T) {
	d, s := openSmallRing(t, "")
	x, err := s.Alloc(1024)
	require.NoError(t, err)
	require.NoError(t, s.fetch(context.Background(), x))
	require.NoError(t, d.Close())
	require.ErrorIs(t, s.staging.take(context.Background(), make([]byte, 1024), 1), ErrClosed)
}

// The parameters of launches are pinned, and so never collected unless they are closed.
func TestClosedDeviceLetsGoOfParameters(t *testing.T) {
	d, s := openSmallRing(t, "")
	parameters := weak.Make[driver.Parameters](s.parameters)
	s = nil
	require.NoError(t, d.Close())
	runtime.GC()
	require.Nil(t, parameters.Value())
}
