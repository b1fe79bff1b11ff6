package gpu

import (
	"context"
	"testing"
	"time"

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

// Close waits for calls in progress, and others fail meanwhile.
func TestCloseWaitsForCalls(t *testing.T) {
	for name, begin := range map[string]func(*Device, *Stream) (end func(), err error){
		"of a stream": func(_ *Device, s *Stream) (func(), error) { return s.leave, s.enter(&opFill) },
		"of the device": func(d *Device, _ *Stream) (func(), error) {
			c, err := d.enter()
			return func() { d.leave(c) }, err
		},
	} {
		d, err := Open(Options{Binding: emulator.Binding, Library: emulator.Library(t, "")})
		require.NoError(t, err)
		s, err := d.NewStream()
		require.NoError(t, err)
		other, err := d.NewStream()
		require.NoError(t, err)
		end, err := begin(d, s)
		require.NoError(t, err, name)
		closed := make(chan error, 1)
		go func() { closed <- d.Close() }()
		for err == nil { // until Close waits
			err = other.Do(func() error { return nil })
		}
		require.ErrorIs(t, err, ErrClosed, name)
		require.ErrorIs(t, d.Synchronize(), ErrClosed, name)
		select {
		case <-closed:
			require.Fail(t, "closed during a call "+name)
		case <-time.After(10 * time.Millisecond):
		}
		end()
		require.NoError(t, <-closed, name)
	}
}
