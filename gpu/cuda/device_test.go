package cuda_test

import (
	"errors"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/devicetest"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// open opens the emulated device, or the machine's own, with a check of all accesses.
func open(t *testing.T, precision cuda.Precision) *cuda.Device {
	t.Helper()
	return openWith(t, "", cuda.Options{Precision: precision})
}

// openWith is open with a configuration of the emulated device and other options.
func openWith(t *testing.T, configuration string, options cuda.Options) *cuda.Device {
	t.Helper()
	options.GPU.Binding = emulator.Binding
	options.GPU.Library = emulator.Library(t, configuration)
	options.GPU.Check = true
	d, err := cuda.Open(options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestConformance(t *testing.T) {
	d := open(t, cuda.FP32)
	devicetest.Run(t, func(*testing.T) device.Device { return d }, devicetest.Options{Small: true})
}

// rig is a device with a stream.
type rig struct {
	*testing.T
	device *cuda.Device
	device.Stream
}

func setUp(t *testing.T, configuration string, options cuda.Options) *rig {
	t.Helper()
	d := openWith(t, configuration, options)
	s, err := d.NewStream()
	require.NoError(t, err)
	return &rig{t, d, s}
}

// floats puts numbers on the device.
func (r *rig) floats(x []float32) device.Buffer {
	r.Helper()
	b, err := r.Alloc(len(x))
	require.NoError(r, err)
	require.NoError(r, r.UploadFloats(b, 0, x))
	return b
}

// ints puts integers on the device.
func (r *rig) ints(x ...int32) device.Index {
	r.Helper()
	b, err := r.Alloc(len(x))
	require.NoError(r, err)
	require.NoError(r, r.UploadInts(b, 0, x))
	return device.Index{Buffer: b}
}

// get returns the numbers of a buffer.
func (r *rig) get(b device.Buffer) []float32 {
	r.Helper()
	x := make([]float32, b.Words())
	require.NoError(r, r.DownloadFloats(x, b, 0))
	return x
}

// random returns numbers between -1 and 1 that are the same every time.
func random(seed, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Sin(float64(seed*7919 + i*31)))
	}
	return x
}

func TestName(t *testing.T) {
	d := open(t, cuda.FP32)
	require.Equal(t, "cuda:0 ("+d.Info().Name+")", d.Name())
}

func TestOpenRefusesOptions(t *testing.T) {
	for _, precision := range []cuda.Precision{-1, 3} {
		_, err := cuda.Open(cuda.Options{Precision: precision})
		require.ErrorIs(t, err, gpu.ErrArgument)
	}
	_, err := cuda.Open(cuda.Options{GPU: gpu.Options{Library: "/no/such/driver.so"}})
	require.ErrorIs(t, err, gpu.ErrNoDriver)
}

// The limit on memory is of the kind that both packages know, and what was there stays.
func TestMemoryLimit(t *testing.T) {
	r := setUp(t, "", cuda.Options{GPU: gpu.Options{Memory: 1 << 20}})
	kept := r.floats([]float32{1, 2, 3})
	_, err := r.Alloc(1 << 18)
	require.ErrorIs(t, err, device.ErrMemory)
	require.ErrorIs(t, err, gpu.ErrMemory)
	var refused *gpu.MemoryError
	require.ErrorAs(t, err, &refused)
	b, err := r.Alloc(1 << 17)
	require.NoError(t, err)
	require.NoError(t, r.Free(b))
	require.Equal(t, []float32{1, 2, 3}, r.get(kept))
}

func TestClosedDevice(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	b := r.floats([]float32{1})
	fetch, err := r.Fetch(b, 0, 1)
	require.NoError(t, err)
	require.NoError(t, r.device.Close())
	require.NoError(t, r.device.Close(), "again")

	_, streamErr := r.device.NewStream()
	_, allocErr := r.Alloc(1)
	_, fetchErr := r.Fetch(b, 0, 1)
	_, recordErr := r.Record()
	for what, err := range map[string]error{
		"new stream": streamErr, "alloc": allocErr, "fetch": fetchErr, "record": recordErr,
		"upload": r.UploadFloats(b, 0, []float32{1}), "download": r.DownloadFloats(make([]float32, 1), b, 0),
		"scale": r.Scale(b, 1, 2), "fetched": fetch.Ints(make([]int32, 1)),
	} {
		require.ErrorIs(t, err, gpu.ErrClosed, what)
	}
	require.NoError(t, r.Free(b), "it is gone")
}

// loseDevice lets a kernel fail.
func (r *rig) loseDevice() error {
	r.Helper()
	if os.Getenv("FROND_GPU_LIBRARY") != "" {
		r.Skip("a real device is lost for the whole process")
	}
	table := device.Rows{Buffer: r.floats(random(1, 6)), Stride: 2}
	err := r.AddGroups(device.Groups{
		To: table, From: device.Rows{Buffer: r.floats(random(2, 6)), Stride: 2},
		Target: r.ints(1000), Start: r.ints(0, 1), Source: r.ints(0), N: 1, Sources: 1, Width: 2,
	})
	return errors.Join(err, r.DownloadFloats(make([]float32, 1), table.Buffer, 0))
}

// A kernel that fails loses the device. What is left to do is to let go of it.
func TestLostDevice(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	b := r.floats([]float32{1})
	fetch, err := r.Fetch(b, 0, 1)
	require.NoError(t, err)
	err = r.loseDevice()
	require.ErrorIs(t, err, device.ErrLost)
	require.ErrorIs(t, err, gpu.ErrDeviceLost)
	require.ErrorContains(t, err, "add_segments", "it names the kernel")

	_, err = r.Alloc(1)
	require.ErrorIs(t, err, device.ErrLost)
	require.ErrorIs(t, r.Scale(b, 1, 2), device.ErrLost)
	_, err = r.device.NewStream()
	require.ErrorIs(t, err, device.ErrLost)
	require.True(t, fetch.Done(), "nobody waits for it for ever")
	fetch.Release()
	require.NoError(t, r.Free(b))
	require.NoError(t, r.Stream.Close())
	require.ErrorIs(t, r.device.Close(), device.ErrLost)
}
