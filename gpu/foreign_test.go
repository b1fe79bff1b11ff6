package gpu_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/driver"
)

// foreign calls the driver itself, as a library would: it fills two words.
func foreign(b *bench, s *gpu.Stream, x gpu.Buffer) error {
	library, err := driver.Open(b.emulator.Library)
	require.NoError(b, err)
	c := library.NewCaller()
	return s.Foreign("fill by another", []gpu.Arg{gpu.Out(x.Slice(4, 12))}, func(stream uintptr, addresses []uintptr) error {
		return c.Fill(driver.Pointer(addresses[0]), 0x40000000, 2, driver.Stream(stream))
	})
}

func TestForeignWorkIsInTheOrderOfTheStream(t *testing.T) {
	b := setUp(t, "", gpu.Options{Check: true})
	s := b.stream()
	x := b.alloc(s, 16)
	require.NoError(t, s.Upload(ctx, x, encode(1, 1, 1, 1)))
	require.NoError(t, foreign(b, s, x))
	require.NoError(t, b.multiply(s, x, 3))
	require.Equal(t, []float32{3, 6, 6, 3}, b.download(s, x))
}

func TestForeignWorkIsChecked(t *testing.T) {
	b := setUp(t, "", gpu.Options{Check: true})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 16)
	allocated, err := s.Record()
	require.NoError(t, err)
	require.NoError(t, other.Wait(allocated))
	require.NoError(t, foreign(b, s, x))
	require.NoError(t, other.Fill(x.Slice(0, 4), 0), "bytes that the work does not use")
	require.ErrorIs(t, foreign(b, other, x), gpu.ErrRace)

	never := func(uintptr, []uintptr) error { panic("must not be called") }
	require.ErrorIs(t, s.Foreign("work", []gpu.Arg{gpu.In(gpu.Buffer{})}, never), gpu.ErrArgument)
	require.ErrorIs(t, s.Foreign("work", []gpu.Arg{gpu.I32(1)}, never), gpu.ErrArgument)
	refused := errors.New("refused")
	err = s.Foreign("work", nil, func(uintptr, []uintptr) error { return refused })
	require.ErrorIs(t, err, refused)
	require.ErrorContains(t, err, "stream 0: work: refused")
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Foreign("work", nil, never), gpu.ErrClosed)
}
