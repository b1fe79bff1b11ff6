//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/devicetest"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cublas"
	"github.com/frondml/frond/gpu/cuda"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/internal/standin"
)

// openWithBLAS opens an emulated device with a stand-in for cuBLAS. Where the environment
// variables FROND_GPU_LIBRARY and FROND_CUBLAS name real ones it opens those, and the
// stand-in is nil.
func openWithBLAS(t *testing.T, o cuda.Options) (*cuda.Device, *standin.CuBLAS) {
	t.Helper()
	o.Products, o.CuBLASLibrary = cuda.CuBLAS, os.Getenv("FROND_CUBLAS")
	o.GPU.Binding, o.GPU.Library, o.GPU.Check = emulator.Binding, os.Getenv("FROND_GPU_LIBRARY"), true
	var blas *standin.CuBLAS
	if o.GPU.Library == "" {
		o.GPU.Library = emulator.Open(t, "capability=80").Library // for which the workspace is small
		blas = standin.Open(t, o.GPU.Library)
		o.CuBLASLibrary = blas.Library
	} else if o.CuBLASLibrary == "" {
		t.Skip("FROND_CUBLAS does not name a cuBLAS for the device")
	}
	d, err := cuda.Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d, blas
}

// setUpStandIn is openWithBLAS for what only a stand-in can show.
func setUpStandIn(t *testing.T, o cuda.Options) (*rig, *standin.CuBLAS) {
	t.Helper()
	d, blas := openWithBLAS(t, o)
	if blas == nil {
		t.Skip("a real cuBLAS does not count its products")
	}
	s, err := d.NewStream()
	require.NoError(t, err)
	return &rig{t, d, s}, blas
}

func TestConformanceWithBLAS(t *testing.T) {
	d, blas := openWithBLAS(t, cuda.Options{})
	devicetest.Run(t, func(*testing.T) device.Device { return d }, devicetest.Options{Small: true, BatchVariant: true})
	if blas != nil {
		require.Positive(t, blas.Products())
		require.Zero(t, blas.Handles(), "a stream that is closed leaves none")
	}
}

func TestOpenWithBLAS(t *testing.T) {
	d, blas := openWithBLAS(t, cuda.Options{})
	if blas != nil {
		require.Equal(t, "cuda:0 (emulated device, cuBLAS 13.4.1)", d.Name())
	}
	missing := filepath.Join(t.TempDir(), "libcublas.so.13")
	_, err := cuda.Open(cuda.Options{Products: cuda.CuBLAS, CuBLASLibrary: missing})
	require.ErrorIs(t, err, cublas.ErrNoLibrary)
	require.ErrorContains(t, err, missing)
	for message, o := range map[string]cuda.Options{
		"products -1": {Products: -1}, "products 2": {Products: 2},
		`CuBLASLibrary is "there", but Products is not CuBLAS`: {CuBLASLibrary: "there"},
	} {
		_, err := cuda.Open(o)
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}

// Factors are rounded as without the library.
func TestPrecisionsWithBLAS(t *testing.T) {
	const m, k, n = 20, 40, 30
	x, w := random(1, m*k), random(2, k*n)
	for _, test := range []struct {
		precision cuda.Precision
		low, high float64 // of the largest error, as a part of the sum of absolute values
	}{{cuda.FP32, 0, 0x1p-22}, {cuda.TF32, 0x1p-16, 0x1p-11}, {cuda.BF16, 0x1p-13, 0x1p-8}} {
		r, blas := setUpStandIn(t, cuda.Options{Precision: test.precision})
		out, outer := r.floats(make([]float32, m*n)), r.floats(make([]float32, k*n))
		a := device.Rows{Buffer: r.floats(x), Stride: k}
		c := device.Rows{Buffer: out, Stride: n}
		require.NoError(t, r.Multiply(device.Product{M: m, A: a, C: c, W: device.Matrix{Buffer: r.floats(w), Rows: k, Columns: n, Stride: n}}))
		into := device.Matrix{Buffer: outer, Rows: k, Columns: n, Stride: n}
		require.NoError(t, r.AddOuter(device.OuterSum{Into: into, N: m, A: a, B: c}))
		require.Equal(t, 2, blas.Products())
		p := r.get(out)
		worst := worstError(p, m, n, k, func(i, j, l int) (float32, float32) { return x[i*k+l], w[l*n+j] })
		require.True(t, test.low <= worst && worst <= test.high, "precision %d: products are off by %g", test.precision, worst)
		worst = worstError(r.get(outer), k, n, m, func(i, j, l int) (float32, float32) { return x[l*k+i], p[l*n+j] })
		require.True(t, test.low <= worst && worst <= test.high, "precision %d: outer products are off by %g", test.precision, worst)
	}
}

// Rows that are named by an index are copied for a large product, with a bias below it.
func TestRowsAreGatheredForBLAS(t *testing.T) {
	r, blas := setUpStandIn(t, cuda.Options{})
	const table, n = 5, 512
	for _, test := range []struct{ m, k, products int }{{3, 256, 0}, {256, 512, 1}} {
		m, k, before := test.m, test.k, blas.Products()
		x, w, bias := random(1, table*k), random(2, k*n), random(3, n)
		index := make([]int32, m)
		for i := range index {
			index[i] = int32(i * 3 % table)
		}
		out := r.floats(make([]float32, m*n))
		require.NoError(t, r.Multiply(device.Product{
			M: m, A: device.Rows{Buffer: r.floats(x), Stride: k, Index: r.ints(index...)}, C: device.Rows{Buffer: out, Stride: n},
			W: device.Matrix{Buffer: r.floats(w), Rows: k, Columns: n, Stride: n}, Bias: r.floats(bias),
		}))
		require.Equal(t, test.products, blas.Products()-before)
		got := r.get(out)
		for i := range got { // what is left is the product
			got[i] -= bias[i%n]
		}
		row := func(i, j, l int) (float32, float32) { return x[int(index[i])*k+l], w[l*n+j] }
		require.LessOrEqual(t, worstError(got[:2*n], 2, n, k, row), 0x1p-20)
		last := func(_, j, l int) (float32, float32) { return row(m-1, j, l) }
		require.LessOrEqual(t, worstError(got[(m-1)*n:], 1, n, k, last), 0x1p-20)
	}
}

// What the library refuses is an error of a kind that the executor knows.
func TestRefusalsOfBLAS(t *testing.T) {
	r, blas := setUpStandIn(t, cuda.Options{})
	row, out := device.Rows{Buffer: r.floats([]float32{1}), Stride: 1}, device.Rows{Buffer: r.floats([]float32{0}), Stride: 1}
	multiply := func() error {
		return r.Multiply(device.Product{M: 1, A: row, C: out, W: device.Matrix{Buffer: row.Buffer, Rows: 1, Columns: 1, Stride: 1}})
	}
	blas.Refuse(standin.Product, 3)
	require.ErrorIs(t, multiply(), device.ErrMemory)
	blas.Refuse(standin.Product, 13)
	err := multiply()
	require.ErrorIs(t, err, gpu.ErrKernel)
	require.NotErrorIs(t, err, device.ErrLost, "the device works")
	require.NoError(t, multiply())

	held := r.device.MemoryStats().InUse
	blas.Refuse(standin.Creation, 3)
	_, err = r.device.NewStream()
	require.ErrorIs(t, err, device.ErrMemory)
	require.Equal(t, held, r.device.MemoryStats().InUse, "nothing is left of the stream")

	require.NoError(t, r.device.Close())
	require.Zero(t, blas.Handles(), "the device releases what its streams have")
	require.ErrorIs(t, multiply(), gpu.ErrClosed)
	require.NoError(t, r.Stream.Close())
}

// The first to notice that a kernel has failed may be the library.
func TestLostDeviceWithBLAS(t *testing.T) {
	r, _ := setUpStandIn(t, cuda.Options{})
	row := device.Rows{Buffer: r.floats([]float32{1}), Stride: 1}
	w := device.Matrix{Buffer: r.floats([]float32{1}), Rows: 1, Columns: 1, Stride: 1}
	require.NoError(t, r.AddGroups(device.Groups{
		To: row, From: row, Target: r.ints(1000), Start: r.ints(0, 1), Source: r.ints(0), N: 1, Sources: 1, Width: 1,
	}))
	err := r.Multiply(device.Product{M: 1, A: row, C: device.Rows{Buffer: w.Buffer, Stride: 1}, W: w})
	require.ErrorIs(t, err, device.ErrLost)
	require.ErrorContains(t, err, "cublasSgemm_v2: CUBLAS_STATUS_EXECUTION_FAILED")
	require.NoError(t, r.Stream.Close())
	require.ErrorIs(t, r.device.Close(), device.ErrLost)
}

// A device may be closed while streams multiply on it.
func TestDeviceWithBLASIsClosedInUse(t *testing.T) {
	r, blas := setUpStandIn(t, cuda.Options{})
	const streams = 3
	failures := make(chan error, streams)
	started := make(chan bool, streams)
	for range streams {
		go func() {
			s, err := r.device.NewStream()
			started <- true
			if err != nil {
				failures <- err
				return
			}
			b, err := s.Alloc(24)
			p := device.Product{
				M: 1, A: device.Rows{Buffer: b, Stride: 4}, C: device.Rows{Buffer: b, Offset: 4, Stride: 4},
				W: device.Matrix{Buffer: b, Offset: 8, Rows: 4, Columns: 4, Stride: 4},
			}
			for err == nil {
				err = s.Multiply(p)
			}
			failures <- errors.Join(err, s.Close())
		}()
	}
	for range streams {
		<-started
	}
	require.NoError(t, r.device.Close())
	for range streams {
		require.ErrorIs(t, <-failures, gpu.ErrClosed)
	}
	require.Zero(t, blas.Handles())
}
