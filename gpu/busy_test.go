package gpu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/internal/emulator"
)

// A call in progress on a stream, or a copy that uses its staging ring, keeps others
// out.
func TestBusyStream(t *testing.T) {
	d, err := Open(Options{Binding: emulator.Binding, Library: emulator.Library(t, "")})
	require.NoError(t, err)
	defer d.Close()
	s, err := d.NewStream()
	require.NoError(t, err)
	x, err := s.Alloc(4)
	require.NoError(t, err)

	require.NoError(t, s.enter(&opFill))
	require.ErrorIs(t, s.Fill(x, 0), ErrBusy)
	require.ErrorIs(t, s.Close(), ErrBusy)
	_, err = s.Record()
	require.ErrorIs(t, err, ErrBusy)
	s.leave()
	require.NoError(t, s.Fill(x, 0))

	require.NoError(t, s.staging.begin(x, 4))
	require.ErrorIs(t, s.Download(context.Background(), make([]byte, 4), x), ErrBusy)
	require.ErrorIs(t, s.Upload(context.Background(), x, make([]byte, 4)), ErrBusy)
	require.ErrorIs(t, s.Close(), ErrBusy, "the copy may be waiting")
	s.staging.busy.Store(false)
	require.NoError(t, s.Upload(context.Background(), x, make([]byte, 4)))
}
