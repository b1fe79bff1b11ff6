package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
)

// order makes b wait for what was issued on a.
func order(t *testing.T, a, b device.Stream) {
	t.Helper()
	e, err := a.Record()
	require.NoError(t, err)
	require.NoError(t, b.Wait(e))
	e.Release()
}

func TestMissingEventsAreRaces(t *testing.T) {
	one := make([]float32, 1)
	write := func(s device.Stream, b device.Buffer) error { return s.UploadFloats(b, 0, one) }
	for _, test := range []struct {
		name string
		// run uses a buffer that both streams are ordered behind.
		run  func(t *testing.T, a, b device.Stream, x, y device.Buffer) error
		want string // "" for no race
	}{
		{"write, write", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, a.Zero(x, 0, 4))
			return write(b, x)
		}, "UploadFloats on stream 1 writes a buffer of 4 words that Zero on stream 0 writes"},
		{"write, read", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, write(a, x))
			return b.Copy(y, 0, x, 0, 1)
		}, "Copy on stream 1 reads a buffer of 4 words that UploadFloats on stream 0 writes"},
		{"read, write", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, a.Copy(y, 0, x, 0, 1))
			return write(b, x)
		}, "UploadFloats on stream 1 writes a buffer of 4 words that Copy on stream 0 reads"},
		{"read, free", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, a.Copy(y, 0, x, 0, 1))
			return b.Free(x)
		}, "Free on stream 1"},
		{"an event too early", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			e, err := a.Record()
			require.NoError(t, err)
			require.NoError(t, write(a, x))
			require.NoError(t, b.Wait(e))
			return write(b, x)
		}, "stream race"},
		{"read, read", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, a.Copy(y, 0, x, 0, 1))
			_, err := b.Fetch(x, 0, 1)
			return err
		}, ""},
		{"an event", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, write(a, x))
			order(t, a, b)
			return write(b, x)
		}, ""},
		{"the host waits", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, write(a, x))
			require.NoError(t, a.DownloadFloats(make([]float32, 1), y, 0))
			return write(b, x)
		}, ""},
		{"the host waits for a fetch", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, write(a, x))
			f, err := a.Fetch(y, 0, 1)
			require.NoError(t, err)
			require.NoError(t, f.Ints(make([]int32, 1)))
			return write(b, x)
		}, ""},
		{"a stream is closed", func(t *testing.T, a, b device.Stream, x, y device.Buffer) error {
			require.NoError(t, write(a, x))
			require.NoError(t, a.Close())
			return write(b, x)
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := host.New(host.Options{Check: true})
			a, b := stream(t, d), stream(t, d)
			x, y := alloc(t, a, 4), alloc(t, a, 4)
			order(t, a, b)
			err := test.run(t, a, b, x, y)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, host.ErrRace)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestOrderIsTransitive(t *testing.T) {
	d := host.New(host.Options{Check: true})
	a, b, c := stream(t, d), stream(t, d), stream(t, d)
	x := alloc(t, a, 4)
	order(t, a, b)
	order(t, b, c)
	require.NoError(t, c.Zero(x, 0, 4))
	require.ErrorIs(t, b.Zero(x, 0, 4), host.ErrRace)
}

func TestNumbersOfClosedStreamsAreUsedAgain(t *testing.T) {
	d := host.New(host.Options{Check: true})
	a := stream(t, d)
	x := alloc(t, a, 4)
	for range 5 {
		s := stream(t, d)
		order(t, a, s)
		require.NoError(t, s.Zero(x, 0, 4))
		require.NoError(t, s.Close())
		require.NoError(t, a.Zero(x, 0, 4))
	}
	b := stream(t, d)
	require.ErrorIs(t, b.Zero(x, 0, 4), host.ErrRace)
	assert.ErrorContains(t, b.Zero(x, 0, 4), "on stream 1 writes")
}

func TestReleasedEventsCannotBeWaitedFor(t *testing.T) {
	d := host.New(host.Options{})
	s := stream(t, d)
	e, err := s.Record()
	require.NoError(t, err)
	e.Release()
	require.ErrorIs(t, s.Wait(e), host.ErrArgument)
	e, err = stream(t, host.New(host.Options{})).Record()
	require.NoError(t, err)
	require.ErrorIs(t, s.Wait(e), host.ErrArgument, "an event of another device")
}
