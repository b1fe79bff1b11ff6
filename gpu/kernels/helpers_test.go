package kernels_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/cudac"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/kernels"
)

var ctx = context.Background()

func TestPTXIsCurrent(t *testing.T) {
	sources, err := filepath.Glob("cuda/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	for _, source := range sources {
		require.NoError(t, cudac.Check(source))
	}
}

// rig is a device with the kernels and one stream.
type rig struct {
	*testing.T
	device *gpu.Device
	stream *gpu.Stream
	set    *kernels.Set
}

func setUp(t *testing.T, configuration string) *rig {
	t.Helper()
	device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: emulator.Library(t, configuration), Check: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = device.Close() })
	set, err := kernels.Load(device)
	require.NoError(t, err)
	stream, err := device.NewStream()
	require.NoError(t, err)
	return &rig{t, device, stream, set}
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

// indices returns n rows of a table, some of them negative.
func indices(seed uint64, n, rows int) []int32 {
	source := rand.New(rand.NewPCG(seed, 1))
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(source.IntN(rows+1)) - 1
	}
	return x
}
