package kernels_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// units bound the error of a product of factors that were rounded, and of the sum.
var units = map[kernels.Precision]float64{kernels.TF32: 0x1p-10, kernels.BF16: 0x1p-7}

func TestTensorGEMM(t *testing.T) {
	r := setUp(t, "")
	for precision, unit := range units {
		for _, shape := range [][3]int{{1, 1, 1}, {65, 35, 40}, {4, 4, 0}, {0, 3, 3}} {
			for _, transposed := range transpositions {
				t.Run(fmt.Sprint(precision, shape, transposed), func(t *testing.T) {
					r := &rig{t, r.device, r.stream, r.set}
					p := r.problem(shape[0], shape[1], shape[2], transposed, false, false, false)
					require.NoError(t, r.set.TensorGEMM(r.stream, p.GEMM, precision, kernels.Split{}))
					p.check(r, unit)
				})
			}
		}
		for options := range 8 {
			split := []kernels.Split{{}, {Slice: 32}, {Slice: 32, AnyOrder: true}}[options%3]
			p := r.problem(20, 30, 70, [2]bool{options == 5, false}, options&1 != 0, options&2 != 0, options&4 != 0)
			require.NoError(t, r.set.TensorGEMM(r.stream, p.GEMM, precision, split))
			p.check(r, unit)
		}
	}
}

// Factors that the precision has are not rounded, so that products of small integers
// are exact; the next ones are rounded to the nearest.
func TestTensorGEMMRoundsFactors(t *testing.T) {
	r := setUp(t, "")
	for _, test := range []struct {
		precision      kernels.Precision
		factor, result float32
	}{
		{kernels.TF32, 2047, 2047}, {kernels.TF32, 2048.75, 2048}, {kernels.TF32, 2049.25, 2050}, {kernels.TF32, 2049, 2050},
		{kernels.BF16, 255, 255}, {kernels.BF16, 256.75, 256}, {kernels.BF16, 257.25, 258}, {kernels.BF16, 257, 256}, {kernels.BF16, 259, 260},
		{kernels.TF32, 0x1p127, 0x1p127}, {kernels.BF16, 0x1p-126, 0x1p-126},
	} {
		out := put(r, []float32{0})
		one := kernels.Matrix{Buffer: put(r, []float32{1}), Rows: 1, Columns: 1}
		factor := kernels.Matrix{Buffer: put(r, []float32{test.factor}), Rows: 1, Columns: 1}
		c := kernels.Matrix{Buffer: out, Rows: 1, Columns: 1}
		for _, p := range []kernels.GEMM{{C: c, A: one, B: factor}, {C: c, A: factor, B: one}} {
			require.NoError(t, r.set.TensorGEMM(r.stream, p, test.precision, kernels.Split{}))
			require.Equal(t, test.result, r.get(out)[0], "%v", test)
		}
	}
}

func TestTensorGEMMRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	p := r.problem(3, 4, 64, [2]bool{}, false, false, false)
	for message, err := range map[string]error{
		"tensor gemm: invalid argument: precision 2":         r.set.TensorGEMM(r.stream, p.GEMM, 2, kernels.Split{}),
		"an inner dimension of 64 in slices of 16, for f32[": r.set.TensorGEMM(r.stream, p.GEMM, kernels.TF32, kernels.Split{Slice: 16}),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
