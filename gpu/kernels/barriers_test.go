package kernels_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
)

// Without any one of its barriers the product is a race, and the emulated device says
// so: the tests above would not pass by luck.
func TestEveryBarrierOfGEMMIsNeeded(t *testing.T) {
	text, err := os.ReadFile("cuda/gemm.ptx")
	require.NoError(t, err)
	ptx, _, found := strings.Cut(string(text), "// .globl\tgemm_nt")
	require.True(t, found)
	const barrier = "bar.sync \t0;"
	barriers := strings.Count(ptx, barrier)
	require.Positive(t, barriers)
	for n := range barriers {
		parts := strings.SplitN(ptx, barrier, n+2)
		without := strings.Join(parts[:n+1], barrier) + parts[n+1]
		require.ErrorIs(t, multiply(t, without), gpu.ErrKernel, "barrier %d", n)
	}
	require.NoError(t, multiply(t, ptx))
}

// multiply runs gemm_nn of a PTX text on two matrices with three slices of the inner
// dimension.
func multiply(t *testing.T, ptx string) error {
	t.Helper()
	e := emulator.Open(t, "")
	device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: e.Library})
	require.NoError(t, err)
	t.Cleanup(func() { _ = device.Close() })
	module, err := device.Load(ptx)
	require.NoError(t, err)
	kernel, err := module.Kernel("gemm_nn")
	require.NoError(t, err)
	stream, err := device.NewStream()
	require.NoError(t, err)
	r := &rig{T: t, device: device, stream: stream}
	const m, n, k = 64, 64, 48
	c, a, b := put(r, make([]float32, m*n)), put(r, random(1, m*k)), put(r, random(2, k*n))
	err = stream.Launch(kernel, gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(256)},
		gpu.Out(c), gpu.I32(n), gpu.In(a), gpu.I32(k), gpu.Null(), gpu.I32(m), gpu.In(b), gpu.I32(n), gpu.Null(),
		gpu.I32(m), gpu.I32(n), gpu.I32(k), gpu.I32(0))
	require.NoError(t, err)
	err = stream.Download(context.Background(), make([]byte, 4*m*n), c)
	if err != nil {
		require.Contains(t, e.Log(), "race on shared word")
	}
	return err
}
