package emulator_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

// rounded is a number with so many bits of significand, ties to even.
func rounded(x float64, bits int) float64 {
	if x == 0 {
		return 0
	}
	unit := math.Ldexp(1, math.Ilogb(x)-bits+1)
	return math.RoundToEven(x/unit) * unit
}

func TestTensorProducts(t *testing.T) {
	for _, test := range []struct {
		kernel      string
		inner, bits int
	}{{"product_tf32", 8, 11}, {"product_bf16", 16, 8}} {
		r := load(t, "testdata/tensor.ptx", "")
		random := rand.New(rand.NewPCG(1, uint64(test.inner)))
		matrix := func(rows, columns int) []float32 {
			x := make([]float32, rows*columns)
			for i := range x {
				x[i] = 2*random.Float32() - 1
			}
			return x
		}
		a, b, c := matrix(16, test.inner), matrix(test.inner, 8), matrix(16, 8)
		out := put(r, c)
		r.launch(test.kernel, gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(32)}, gpu.InOut(out), gpu.In(put(r, a)), gpu.In(put(r, b)))
		for i, got := range get(r, out, make([]float32, 16*8)) {
			want := float64(c[i])
			for k := range test.inner {
				want += rounded(float64(a[i/8*test.inner+k]), test.bits) * rounded(float64(b[k*8+i%8]), test.bits)
			}
			require.InDelta(t, want, got, 1e-6, "%s: element %d", test.kernel, i)
		}
	}
}

// A copy in the background that is not waited for has not been done.
func TestBackgroundCopies(t *testing.T) {
	x := make([]float32, 3*128)
	for i := range x {
		x[i] = float32(i)
	}
	one := gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(32)}
	r := load(t, "testdata/tensor.ptx", "")
	b := put(r, x)
	r.launch("background_copy", one, gpu.InOut(b))
	for i, v := range get(r, b, make([]float32, len(x))) {
		require.EqualValues(t, i/128*128+127-i%128, v)
	}

	b = put(r, x)
	r.launch("background_copy_too_early", one, gpu.InOut(b))
	for i, v := range get(r, b, make([]float32, len(x))) {
		require.Equal(t, i >= 256, v != v, "element %d is %v: the last piece has not arrived", i, v)
	}
}
