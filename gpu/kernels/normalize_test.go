package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// standardise brings x to mean 0 and variance 1; inverse is 1/sqrt(variance+epsilon).
func standardise(x []float64, epsilon float64) (y []float64, inverse float64) {
	mean, variance := total(x)/float64(len(x)), 0.0
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	inverse = 1 / math.Sqrt(variance+epsilon)
	for _, v := range x {
		y = append(y, (v-mean)*inverse)
	}
	return y, inverse
}

func TestLayerNorm(t *testing.T) {
	r := setUp(t, "")
	const epsilon = 1e-5
	for _, shape := range shapes {
		n, width := shape[0], shape[1]
		x, gain, bias := random(1, n*width), random(2, width), random(3, width)
		var plain, scaled []float64
		for row := range n {
			y, _ := standardise(wide(x[row*width:][:width]), float64(float32(epsilon)))
			for c, v := range y {
				plain = append(plain, v)
				scaled = append(scaled, v*float64(gain[c])+float64(bias[c]))
			}
		}
		in, out := r.spread(x, n, width), r.empty(n, width)
		require.NoError(t, r.set.LayerNorm(r.stream, out, in, kernels.LayerNorm{Epsilon: epsilon}))
		r.close(plain, r.dense(out), 1e-5)
		norm := kernels.LayerNorm{Gain: put(r, gain), Bias: put(r, bias), Epsilon: epsilon}
		require.NoError(t, r.set.LayerNorm(r.stream, in, in, norm))
		r.close(scaled, r.dense(in), 1e-5)
	}
}

// The gradient is that of the definition by central differences in float64.
func TestLayerNormGradient(t *testing.T) {
	r := setUp(t, "")
	const epsilon, h = 0.01, 1e-5
	for _, shape := range shapes {
		n, width := shape[0], min(shape[1], 40)
		x, g, gain := random(1, n*width), random(2, n*width), random(3, width)
		var want []float64
		for row := range n {
			loss := func(x []float64) float64 {
				y, _ := standardise(x, float64(float32(epsilon)))
				sum := 0.0
				for c, v := range y {
					sum += v * float64(gain[c]) * float64(g[row*width+c])
				}
				return sum
			}
			for c := range width {
				moved := wide(x[row*width:][:width])
				moved[c] += h
				above := loss(moved)
				moved[c] -= 2 * h
				want = append(want, (above-loss(moved))/(2*h))
			}
		}
		out := r.spread(g, n, width)
		norm := kernels.LayerNorm{Gain: put(r, gain), Epsilon: epsilon}
		require.NoError(t, r.set.LayerNormGradient(r.stream, out, r.spread(x, n, width), out, norm))
		r.close(want, r.dense(out), 1e-5)
	}
}

func TestLayerNormRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	m := kernels.Matrix{Buffer: b, Rows: 3, Columns: 4}
	for message, norm := range map[string]kernels.LayerNorm{
		"Gain has 4 bytes, want 4 words": {Gain: b.Slice(0, 4)},
		"Bias has 4 bytes, want 4 words": {Bias: b.Slice(0, 4)},
		"Epsilon is -1":                  {Epsilon: -1},
		"Epsilon is NaN":                 {Epsilon: float32(math.NaN())},
	} {
		for _, err := range []error{r.set.LayerNorm(r.stream, m, m, norm), r.set.LayerNormGradient(r.stream, m, m, m, norm)} {
			require.ErrorIs(t, err, gpu.ErrArgument)
			require.ErrorContains(t, err, message)
		}
	}
}
