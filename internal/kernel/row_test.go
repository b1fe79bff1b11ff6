package kernel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// near reports whether got is within rel of want, relative to magnitude.
func near(got float32, want, magnitude, rel float64) bool {
	return math.Abs(float64(got)-want) <= rel*magnitude
}

func TestReductions(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, n := range sizes() {
			r := rng(uint64(n))
			a, b := pageOrHeap(t, randomSlice(r, n)), pageOrHeap(t, randomSlice(r, n))
			var sum, dot, squares, magnitude float64
			top := math.Inf(-1)
			for i := range a {
				sum += float64(a[i])
				dot += float64(a[i]) * float64(b[i])
				squares += float64(a[i]) * float64(a[i])
				magnitude += math.Abs(float64(a[i])) + math.Abs(float64(a[i])*float64(b[i]))
				top = max(top, float64(a[i]))
			}
			rel := float64(n+1) * 0x1p-24
			require.True(t, near(Sum(a), sum, magnitude, rel), "Sum of %d", n)
			require.True(t, near(Dot(a, b), dot, magnitude, rel), "Dot of %d", n)
			require.True(t, near(SumSquares(a), squares, squares, rel), "SumSquares of %d", n)
			require.Equal(t, float32(top), MaxOf(a), "MaxOf %d", n)
		}
	})
}

// TestReductionsSeeEveryElement places one element of note at each index.
func TestReductionsSeeEveryElement(t *testing.T) {
	nan := float32(math.NaN())
	eachImplementation(t, func(t *testing.T) {
		for _, n := range []int{1, 5, 8, 31, 40, 77} {
			for i := range n {
				x, ones := make([]float32, n), make([]float32, n)
				for j := range x {
					x[j], ones[j] = -3, 1
				}
				x[i] = -2
				assert.Equal(t, float32(-2), MaxOf(x))
				assert.Equal(t, float32(-3*n+1), Sum(x))
				assert.Equal(t, float32(-3*n+1), Dot(x, ones))
				assert.Equal(t, float32(9*n-5), SumSquares(x))
				x[i] = nan
				for _, s := range []float32{MaxOf(x), Sum(x), Dot(x, ones), SumSquares(x)} {
					assert.True(t, s != s, "NaN at %d of %d", i, n)
				}
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, n := range sizes()[1:] {
			x := randomSlice(rng(uint64(n)), n)
			Scale(x, x, 5)
			AddScalar(x, x, 1e4) // exp alone would overflow
			top := float64(MaxOf(x))
			sum := 0.0
			for _, v := range x {
				sum += math.Exp(float64(v) - top)
			}
			soft, log := guard(n, n%8), guard(n, n%8)
			Softmax(soft.data, x)
			LogSoftmax(log.data, x)
			soft.intact(t)
			log.intact(t)
			for i, v := range x {
				want := math.Exp(float64(v)-top) / sum
				require.True(t, near(soft.data[i], want, want, 2e-5), "softmax %d of %d: got %g, want %g", i, n, soft.data[i], want)
				want = float64(v) - top - math.Log(sum)
				require.True(t, near(log.data[i], want, 1+math.Abs(want), 2e-5), "log-softmax %d of %d: got %g, want %g", i, n, log.data[i], want)
			}
			require.InDelta(t, top+math.Log(sum), LogSumExp(x), 2e-3)

			inPlace := append([]float32(nil), x...)
			Softmax(inPlace, inPlace)
			require.Equal(t, bits(soft.data), bits(inPlace))
			copy(inPlace, x)
			LogSoftmax(inPlace, inPlace)
			require.Equal(t, bits(log.data), bits(inPlace))
		}
	})
}

func TestSoftmaxNonFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	eachImplementation(t, func(t *testing.T) {
		dst := make([]float32, 3)
		Softmax(dst, []float32{0, -inf, 0})
		assert.Equal(t, []float32{0.5, 0, 0.5}, dst)
		LogSoftmax(dst, []float32{1, -inf, -inf})
		assert.Equal(t, []float32{0, -inf, -inf}, dst)
		for _, x := range [][]float32{{0, nan, 1}, {0, inf, 1}, {-inf, -inf, -inf}} {
			Softmax(dst, x)
			for _, v := range dst {
				assert.True(t, v != v, "softmax of %v is %v", x, dst)
			}
		}
		assert.Equal(t, -inf, LogSumExp(nil))
		assert.Equal(t, inf, LogSumExp([]float32{1, inf}))
		s := LogSumExp([]float32{1, nan})
		assert.True(t, s != s)
	})
}

func TestLayerNorm(t *testing.T) {
	const eps = 1e-5
	eachImplementation(t, func(t *testing.T) {
		for _, n := range sizes()[1:] {
			r := rng(uint64(n))
			x, gain, bias := randomSlice(r, n), randomSlice(r, n), randomSlice(r, n)
			AddScalar(x, x, 3)
			mean, variance := 0.0, 0.0
			for _, v := range x {
				mean += float64(v) / float64(n)
			}
			for _, v := range x {
				variance += (float64(v) - mean) * (float64(v) - mean) / float64(n)
			}
			rstd := 1 / math.Sqrt(variance+eps)
			plain, affine := guard(n, n%8), guard(n, n%8)
			gotMean, gotRstd := LayerNorm(plain.data, x, nil, nil, eps)
			LayerNorm(affine.data, x, gain, bias, eps)
			plain.intact(t)
			affine.intact(t)
			require.InDelta(t, mean, gotMean, 1e-5)
			if n > 1 { // one element has no variance: rounding of the mean is all there is
				require.InEpsilon(t, rstd, gotRstd, 1e-4)
			}
			for i, v := range x {
				want := (float64(v) - mean) * rstd
				require.InDelta(t, want, plain.data[i], 1e-3, "%d of %d", i, n)
				require.InDelta(t, want*float64(gain[i])+float64(bias[i]), affine.data[i], 3e-3, "%d of %d", i, n)
			}
			inPlace := append([]float32(nil), x...)
			LayerNorm(inPlace, inPlace, gain, bias, eps)
			require.Equal(t, bits(affine.data), bits(inPlace))
		}
		mean, rstd := LayerNorm(nil, nil, nil, nil, eps)
		assert.Zero(t, mean)
		assert.Zero(t, rstd)
	})
}
