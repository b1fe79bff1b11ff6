//go:build linux && (amd64 || arm64)

package cublas_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cublas"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/internal/standin"
)

var ctx = context.Background()

// rig is a device with a stream, and a cuBLAS.
type rig struct {
	*testing.T
	library *cublas.Library
	device  *gpu.Device
	stream  *gpu.Stream
	standIn *standin.CuBLAS // nil where the library is a real one
}

// setUp opens the cuBLAS that the environment variable FROND_CUBLAS names, with the
// driver that FROND_GPU_LIBRARY names, or else a stand-in with an emulated device.
func setUp(t *testing.T) *rig {
	t.Helper()
	path := os.Getenv("FROND_CUBLAS")
	if path == "" {
		return setUpStandIn(t)
	}
	return setUpWith(t, path, emulator.Library(t, ""))
}

func setUpStandIn(t *testing.T) *rig {
	t.Helper()
	driver := emulator.Open(t, "capability=80").Library // which asks for little workspace
	standIn := standin.Open(t, driver)
	r := setUpWith(t, standIn.Library, driver)
	r.standIn = standIn
	return r
}

func setUpWith(t *testing.T, path, driver string) *rig {
	t.Helper()
	library, err := cublas.Open(path)
	require.NoError(t, err)
	device, err := gpu.Open(gpu.Options{Library: driver, Check: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	stream, err := device.NewStream()
	require.NoError(t, err)
	return &rig{T: t, library: library, device: device, stream: stream}
}

func (r *rig) handle() *cublas.Handle {
	r.Helper()
	h, err := r.library.NewHandle(r.stream)
	require.NoError(r, err)
	r.Cleanup(func() { require.NoError(r, h.Close()) })
	return h
}

func put[T any](r *rig, values []T) gpu.Buffer {
	r.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, values)
	require.NoError(r, err)
	b, err := r.stream.Alloc(int64(len(data)))
	require.NoError(r, err)
	require.NoError(r, r.stream.Upload(ctx, b, data))
	return b
}

func (r *rig) get(b gpu.Buffer) []float32 {
	r.Helper()
	data := make([]byte, b.Size())
	require.NoError(r, r.stream.Download(ctx, data, b))
	values := make([]float32, len(data)/4)
	_, err := binary.Decode(data, binary.LittleEndian, values)
	require.NoError(r, err)
	return values
}

// random returns numbers between -1 and 1.
func random(seed uint64, n int) []float32 {
	source := rand.New(rand.NewPCG(seed, 0))
	x := make([]float32, n)
	for i := range x {
		x[i] = 2*source.Float32() - 1
	}
	return x
}
