//go:build linux && (amd64 || arm64)

package cublas_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cublas"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/internal/standin"
)

func TestWithoutLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libcublas.so.13")
	_, err := cublas.Open(path)
	require.ErrorIs(t, err, cublas.ErrNoLibrary)
	require.ErrorContains(t, err, path)

	other := emulator.Open(t, "").Library
	_, err = cublas.Open(other)
	require.ErrorIs(t, err, cublas.ErrNoLibrary)
	require.ErrorContains(t, err, other+" does not export cublasGetProperty")
}

func TestVersion(t *testing.T) {
	require.Equal(t, "13.4.1", setUpStandIn(t).library.Version())
}

// Whatever the library refuses is an error of its kind, and nothing is left behind.
func TestRefusals(t *testing.T) {
	r := setUpStandIn(t)
	for kind, call := range map[int]string{
		standin.Creation: "cublasCreate_v2", standin.Stream: "cublasSetStream_v2", standin.Workspace: "cublasSetWorkspace_v2",
		standin.Product: "cublasSgemm_v2",
	} {
		for status, want := range map[int]error{
			1: gpu.ErrNoDevice, 3: gpu.ErrMemory, 7: gpu.ErrArgument, 8: gpu.ErrNoDevice, 13: gpu.ErrKernel, 15: gpu.ErrArgument, 14: nil, 99: nil,
		} {
			r.standIn.Refuse(kind, status)
			err := r.product()
			var failed *cublas.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, cublas.Error{Call: call, Status: cublas.Status(status)}, *failed)
			if want != nil {
				require.ErrorIs(t, err, want)
			}
			require.Zero(t, r.standIn.Handles())
			require.NoError(t, r.product(), "it was one call that failed")
		}
	}
	require.Equal(t, "cublasGemmEx: CUBLAS_STATUS_INTERNAL_ERROR (14)", (&cublas.Error{Call: "cublasGemmEx", Status: 14}).Error())
	require.Equal(t, "cublasGemmEx: cuBLAS status 99 (99)", (&cublas.Error{Call: "cublasGemmEx", Status: 99}).Error())
}

// product multiplies with a handle of its own.
func (r *rig) product() error {
	h, err := r.library.NewHandle(r.stream)
	if err != nil {
		return err
	}
	one := cublas.Matrix{Buffer: put(r, []float32{1}), Rows: 1, Columns: 1}
	c := cublas.Matrix{Buffer: put(r, []float32{0}), Rows: 1, Columns: 1}
	err = h.Sgemm(cublas.Product{C: c, A: one, B: one})
	require.NoError(r, h.Close())
	require.NoError(r, h.Close(), "it is closed")
	return err
}

// Whoever closes the device may release a handle whose stream is in use.
func TestAbandonedHandle(t *testing.T) {
	r := setUpStandIn(t)
	h, err := r.library.NewHandle(r.stream)
	require.NoError(t, err)
	other, err := r.device.NewStream()
	require.NoError(t, err)
	require.NoError(t, r.stream.Do(func() error { return h.Abandon(other) }))
	require.Zero(t, r.standIn.Handles())
	one := cublas.Matrix{Buffer: put(r, []float32{1}), Rows: 1, Columns: 1}
	c := cublas.Matrix{Buffer: put(r, []float32{0}), Rows: 1, Columns: 1}
	require.ErrorIs(t, h.Sgemm(cublas.Product{C: c, A: one, B: one}), gpu.ErrClosed)
	require.NoError(t, h.Close())
	require.NoError(t, h.Abandon(other), "again")
}

// A handle that does not get its workspace is none.
func TestNoMemoryForWorkspace(t *testing.T) {
	r := setUpStandIn(t)
	device, err := gpu.Open(gpu.Options{Library: emulator.Open(t, "").Library, Memory: 1 << 20})
	require.NoError(t, err)
	defer device.Close()
	s, err := device.NewStream()
	require.NoError(t, err)
	_, err = r.library.NewHandle(s)
	require.ErrorIs(t, err, gpu.ErrMemory)
	require.Zero(t, r.standIn.Handles())
}
