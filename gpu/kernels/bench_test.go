package kernels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/kernels"
)

// BenchmarkGEMM is a product of 256 x 256 matrices: on the emulated device a measure
// of the interpreter.
func BenchmarkGEMM(b *testing.B) {
	device, err := gpu.Open(gpu.Options{Binding: emulator.Binding, Library: emulator.Library(b, "")})
	require.NoError(b, err)
	defer device.Close()
	set, err := kernels.Load(device)
	require.NoError(b, err)
	s, err := device.NewStream()
	require.NoError(b, err)
	const n = 256
	matrix := func() kernels.Matrix {
		buffer, err := s.Alloc(4 * n * n)
		require.NoError(b, err)
		require.NoError(b, s.Fill(buffer, 0))
		return kernels.Matrix{Buffer: buffer, Rows: n, Columns: n}
	}
	p := kernels.GEMM{A: matrix(), B: matrix(), C: matrix()}
	for b.Loop() {
		require.NoError(b, set.GEMM(s, p))
		require.NoError(b, device.Synchronize())
	}
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
