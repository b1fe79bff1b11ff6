package gpu

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/internal/emulator"
)

// Pieces of the ring are not used again before their copies are done: a ring that has
// forgotten them sends the wrong bytes.
func TestRingWaitsForItsPieces(t *testing.T) {
	for _, forgetful := range []bool{false, true} {
		e := emulator.Open(t, "")
		d, err := Open(Options{Binding: emulator.Binding, Library: e.Library, Staging: 4096})
		require.NoError(t, err)
		defer d.Close()
		s, err := d.NewStream()
		require.NoError(t, err)
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
