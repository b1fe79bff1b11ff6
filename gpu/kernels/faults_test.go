package kernels_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// What only the device can see to be wrong ends with a fault, not with a wrong result.
func TestWrongIndicesAreFaults(t *testing.T) {
	if os.Getenv("FROND_GPU_LIBRARY") != "" {
		t.Skip("a real device is lost for the whole process")
	}
	for name, run := range map[string]func(r *rig, m kernels.Matrix, bad gpu.Buffer) error{
		"runs": func(r *rig, m kernels.Matrix, bad gpu.Buffer) error {
			return r.set.ReduceRuns(r.stream, kernels.Sum, m, m, kernels.Runs{N: 3, Start: bad})
		},
		"softmax of runs": func(r *rig, m kernels.Matrix, bad gpu.Buffer) error {
			return r.set.SoftmaxRuns(r.stream, kernels.Runs{N: 3, Start: bad}, m, m)
		},
		"one-hot": func(r *rig, m kernels.Matrix, bad gpu.Buffer) error {
			return r.set.PlaceInRows(r.stream, m, bad, gpu.Buffer{})
		},
		"cross-entropy": func(r *rig, m kernels.Matrix, bad gpu.Buffer) error {
			return r.set.CrossEntropy(r.stream, put(r, make([]float32, 3)), m, bad)
		},
		"cross-entropy gradient": func(r *rig, m kernels.Matrix, bad gpu.Buffer) error {
			return r.set.CrossEntropyGradient(r.stream, m, m, bad, put(r, make([]float32, 3)))
		},
		"rows of an optimiser": func(r *rig, m kernels.Matrix, bad gpu.Buffer) error {
			return r.set.SGD(r.stream, kernels.Weights{Values: m.Buffer, Gradient: m.Buffer, Rows: bad, RowCount: 3, Width: 4}, 1)
		},
		"product in slices": func(r *rig, m kernels.Matrix, bad gpu.Buffer) error {
			out, b := r.empty(3, 4), r.empty(4, 4)
			return r.set.SplitGEMM(r.stream, kernels.GEMM{C: out, A: m, B: b, Index: bad, IndexLength: 3}, kernels.Split{Slice: 32})
		},
	} {
		r := setUp(t, "")
		m := kernels.Matrix{Buffer: put(r, make([]float32, 12)), Rows: 3, Columns: 4}
		require.NoError(t, run(r, m, put(r, []int32{0, 1, 2, 4}).Slice(0, 16)), name)
		ok := r.stream.Download(ctx, make([]byte, 48), m.Buffer)
		if name == "runs" || name == "softmax of runs" {
			require.ErrorIs(t, ok, gpu.ErrKernel, name)
			continue
		}
		require.NoError(t, ok, name)
		require.NoError(t, run(r, m, put(r, []int32{0, 1, 4})), name)
		require.ErrorIs(t, r.stream.Download(ctx, make([]byte, 48), m.Buffer), gpu.ErrKernel, name)
	}
}
