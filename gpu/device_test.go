package gpu_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
)

var ctx = context.Background()

func TestOpenWithoutDriver(t *testing.T) {
	_, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: filepath.Join(t.TempDir(), "libcuda.so.1")})
	require.ErrorIs(t, err, gpu.ErrNoDriver)
}

func TestOpenRefusesDeviceThatIsNotThere(t *testing.T) {
	e := emulator.Open(t, "")
	_, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: e.Library, Device: 1})
	require.ErrorIs(t, err, gpu.ErrNoDevice)
	require.ErrorContains(t, err, "number 1 of 1")
	_, err = gpu.Open(gpu.Options{Binding: emulator.Binding, Library: e.Library, Memory: -1})
	require.ErrorIs(t, err, gpu.ErrArgument)
}

func TestInfo(t *testing.T) {
	b := setUp(t, "memory=1000000 capability=80 version=12020", gpu.Options{})
	require.Equal(t, gpu.Info{Name: "emulated device", Driver: 12020, Capability: 80, Memory: 1000000, Multiprocessors: 132}, b.device.Info())
}

func TestLaunch(t *testing.T) {
	for _, configuration := range []string{"scheduler=threads", "scheduler=adversarial seed=1", "scheduler=adversarial seed=2"} {
		b := setUpAnywhere(t, configuration, gpu.Options{Check: true})
		s := b.stream()
		x, y := b.alloc(s, 4*3), b.alloc(s, 4*3)
		require.NoError(t, s.Upload(ctx, x, encode(1, 2, 3)))
		require.NoError(t, s.Copy(y, x))
		require.NoError(t, b.multiply(s, x, 10))
		require.NoError(t, b.sum(s, y, x, y))
		require.Equal(t, []float32{11, 22, 33}, b.download(s, y))
		require.NoError(t, s.Fill(y.Slice(4, 12), 0))
		require.Equal(t, []float32{11, 0, 0}, b.download(s, y))
	}
}

func TestLaunchRefusesArguments(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 4)
	one := gpu.Cover(1, 32)
	for message, err := range map[string]error{
		"no kernel":              s.Launch(nil, one, gpu.InOut(x)),
		"the event was released": s.Wait(nil),
		"2 arguments, want 3: (8 bytes, 4 bytes real, 4 bytes)": s.Launch(b.scale, one, gpu.InOut(x), gpu.F32(1)),
		"4 arguments, want 3":       s.Launch(b.scale, one, gpu.InOut(x), gpu.F32(1), gpu.U32(1), gpu.U32(1)),
		"argument 1 is 4 bytes,":    s.Launch(b.scale, one, gpu.InOut(x), gpu.I32(1), gpu.U32(1)),
		"argument 2 is 8 bytes,":    s.Launch(b.scale, one, gpu.InOut(x), gpu.F32(1), gpu.I64(1)),
		"argument 0 is 3 bytes,":    s.Launch(b.scale, one, gpu.Bytes(make([]byte, 3)), gpu.F32(1), gpu.U32(1)),
		"was never allocated":       s.Launch(b.scale, one, gpu.In(gpu.Buffer{}), gpu.F32(1), gpu.U32(1)),
		"sliced out of its range":   s.Launch(b.scale, one, gpu.In(x.Slice(0, 5)), gpu.F32(1), gpu.U32(1)),
		"blocks of 2000 x 1 x 1":    s.Launch(b.scale, gpu.Cover(1, 2000), gpu.InOut(x), gpu.F32(1), gpu.U32(1)),
		"blocks of 0 x 0 x 0":       s.Launch(b.scale, gpu.Cover(1, 0), gpu.InOut(x), gpu.F32(1), gpu.U32(1)),
		"a grid of -1 x 1 x 1":      s.Launch(b.scale, gpu.Grid{Blocks: gpu.Line(-1), Threads: gpu.Line(1)}, gpu.InOut(x), gpu.F32(1), gpu.U32(1)),
		"copy of 4 bytes to 2 byte": s.Copy(x.Slice(0, 2), x),
		"the ranges overlap":        s.Copy(x, x),
		"are not whole words":       s.Fill(x.Slice(0, 3), 0),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
		require.ErrorContains(t, err, "stream 0: ")
	}
	require.NoError(t, s.Launch(b.scale, gpu.Cover(0, 32), gpu.InOut(x), gpu.F32(1), gpu.U32(0)), "no blocks are no work")
	require.NoError(t, b.multiply(s, x, 1), "the stream is still usable")
}

func TestModules(t *testing.T) {
	b := setUp(t, "", gpu.Options{})
	m, err := b.device.Load(testPTX)
	require.NoError(t, err)
	_, err = m.Kernel("missing")
	require.ErrorIs(t, err, gpu.ErrArgument)
	k, err := m.Kernel("add")
	require.NoError(t, err)
	require.Equal(t, "add", k.Name())
	blocks, err := k.Occupancy(k.MaxThreads(), 0)
	require.NoError(t, err)
	require.Equal(t, 2, blocks)
	require.NoError(t, k.AllowShared(100<<10))
	require.Error(t, k.AllowShared(1<<30))
	require.NoError(t, m.Close())
	require.ErrorIs(t, m.Close(), gpu.ErrClosed)
	_, err = b.device.Load(strings.Replace(testPTX, "add.rn.f32", "add.xx.f32", 1))
	require.ErrorContains(t, err, "unknown instruction add.xx.f32")
}

// A fault shows up in a later call, and from then on in every one.
func TestKernelFault(t *testing.T) {
	b := setUp(t, "", gpu.Options{Check: true})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 4*8)
	require.NoError(t, s.Fill(x, 0))
	require.NoError(t, s.Launch(b.scale, gpu.Cover(9, 32), gpu.InOut(x), gpu.F32(2), gpu.U32(9)))
	err := s.Download(ctx, make([]byte, 32), x)
	require.ErrorIs(t, err, gpu.ErrDeviceLost)
	require.ErrorIs(t, err, gpu.ErrKernel)
	require.ErrorContains(t, err, "CUDA_ERROR_ILLEGAL_ADDRESS")
	require.ErrorContains(t, err, "stream 0 (4 operations): alloc, fill, launch of scale, download; stream 1 (0 operations): nothing")
	require.Contains(t, b.emulator.Log(), "scale: line 23: access of 4 bytes 0 bytes past the end of 32 by thread 8")

	_, err = other.Alloc(4)
	require.ErrorIs(t, err, gpu.ErrDeviceLost)
	_, err = b.device.Load(testPTX)
	require.ErrorIs(t, err, gpu.ErrDeviceLost)
	require.ErrorIs(t, b.device.Close(), gpu.ErrDeviceLost)
}

// Whatever operation the device is lost in, waiters are told.
func TestDeviceLostInTheMiddle(t *testing.T) {
	for _, configuration := range []string{"fault=1:214", "fault=3:719", "fault=5:999", "fault=3:719 scheduler=threads", "cuLaunchKernel=2:719", "cuEventQuery=1:999"} {
		b := setUp(t, configuration, gpu.Options{})
		s := b.stream()
		err := func() error {
			x, err := s.Alloc(4)
			if err != nil {
				return err
			}
			if err := s.Upload(ctx, x, encode(1)); err != nil {
				return err
			}
			for range 4 {
				if err := b.multiply(s, x, 2); err != nil {
					return err
				}
			}
			return s.Download(ctx, make([]byte, 4), x)
		}()
		require.ErrorIs(t, err, gpu.ErrDeviceLost, configuration)
		var lost *gpu.LostError
		require.ErrorAs(t, err, &lost)
		require.NotEmpty(t, lost.Recent)
	}
}

func TestCloseReleasesEverything(t *testing.T) {
	b := setUp(t, "scheduler=threads", gpu.Options{})
	s := b.stream()
	x := b.alloc(s, 1000)
	y := b.alloc(s, 1000)
	require.NoError(t, s.Free(y))
	require.NoError(t, s.Upload(ctx, x, make([]byte, 1000)))
	_, err := b.device.AllocPinned(100)
	require.NoError(t, err)
	_, err = s.Record()
	require.NoError(t, err)
	require.Positive(t, b.emulator.Count("device bytes"))
	require.NoError(t, b.device.Close())
	require.NoError(t, b.device.Close())
	for _, what := range []string{"device bytes", "pinned bytes", "streams", "events", "modules", "contexts"} {
		require.Zero(t, b.emulator.Count(what), what)
	}
	_, err = s.Alloc(4)
	require.ErrorIs(t, err, gpu.ErrClosed)
	_, err = b.device.NewStream()
	require.ErrorIs(t, err, gpu.ErrClosed)
}

func TestStreamIsForOneGoroutine(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{})
	s := b.stream()
	err := s.Do(func() error {
		x, err := s.Alloc(4)
		return errors.Join(err, s.Fill(x, 0))
	})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = s.Alloc(4)
	require.ErrorIs(t, err, gpu.ErrClosed)
}

// Devices of one process share the context and nothing else.
func TestTwoDevices(t *testing.T) {
	b := setUp(t, "", gpu.Options{})
	second, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: b.emulator.Library})
	require.NoError(t, err)
	require.EqualValues(t, 2, b.emulator.Count("contexts"))
	s, err := second.NewStream()
	require.NoError(t, err)
	x, err := s.Alloc(4)
	require.NoError(t, err)
	require.ErrorIs(t, s.Launch(b.scale, gpu.Cover(1, 32), gpu.InOut(x), gpu.F32(1), gpu.U32(1)), gpu.ErrArgument)
	require.NoError(t, second.Close())
	require.EqualValues(t, 1, b.emulator.Count("contexts"))
	own := b.stream()
	y := b.alloc(own, 4)
	require.NoError(t, own.Upload(ctx, y, encode(3)))
	require.Equal(t, []float32{3}, b.download(own, y))
}

func TestStreamNumbersAreUsedAgain(t *testing.T) {
	b := setUpAnywhere(t, "", gpu.Options{Check: true})
	first, second := b.stream(), b.stream()
	x := b.alloc(first, 4)
	require.NoError(t, first.Close())
	third := b.stream()
	require.Equal(t, 0, third.ID())
	require.NoError(t, third.Fill(x, 1), "closing has waited")
	require.ErrorIs(t, second.Fill(x, 2), gpu.ErrRace)
}

func TestLaunchDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools forget")
	}
	b := setUpAnywhere(t, "scheduler=threads", gpu.Options{})
	s, other := b.stream(), b.stream()
	x := b.alloc(s, 64)
	require.NoError(t, s.Fill(x, 0))
	average := testing.AllocsPerRun(200, func() {
		_ = b.multiply(s, x, 2)
		e, _ := s.Record()
		_ = other.Wait(e)
		e.Release()
		y, _ := s.Alloc(64)
		_ = s.Copy(y, x)
		_ = s.Free(y)
	})
	require.NoError(t, b.device.Synchronize())
	require.Less(t, average, 1.0)
}
