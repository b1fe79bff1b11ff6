package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/kernels"
)

// The bits of a row do not depend on the rows beside it.
func TestRowsDoNotDependOnTheBatch(t *testing.T) {
	r := setUp(t, "")
	const n, width, first = 19, 70, 5
	x, g := logits(1, n*width), random(2, n*width)
	for name, run := range map[string]func(out, x, g kernels.Matrix) error{
		"softmax":              func(out, x, _ kernels.Matrix) error { return r.set.Softmax(r.stream, out, x) },
		"log-softmax":          func(out, x, _ kernels.Matrix) error { return r.set.LogSoftmax(r.stream, out, x) },
		"softmax gradient":     func(out, x, g kernels.Matrix) error { return r.set.SoftmaxGradient(r.stream, out, x, g) },
		"log-softmax gradient": func(out, x, g kernels.Matrix) error { return r.set.LogSoftmaxGradient(r.stream, out, g, g) },
		"layer norm": func(out, x, _ kernels.Matrix) error {
			return r.set.LayerNorm(r.stream, out, x, kernels.LayerNorm{Epsilon: 1e-5})
		},
		"layer norm gradient": func(out, x, g kernels.Matrix) error {
			return r.set.LayerNormGradient(r.stream, out, x, g, kernels.LayerNorm{Epsilon: 1e-5})
		},
		"sum of a run": func(out, x, _ kernels.Matrix) error {
			return r.set.ReduceRuns(r.stream, kernels.Sum, out, x, kernels.Runs{N: x.Rows, Length: 1})
		},
	} {
		whole, part := r.empty(n, width), r.empty(3, width)
		require.NoError(t, run(whole, r.spread(x, n, width), r.spread(g, n, width)))
		low, high := first*width, (first+3)*width
		require.NoError(t, run(part, r.spread(x[low:high], 3, width), r.spread(g[low:high], 3, width)))
		require.Equal(t, r.dense(whole)[low:high], r.dense(part), name)
	}
}

// Small probabilities are as exact as large ones, down to the smallest normal numbers.
func TestSoftmaxOfFarLogits(t *testing.T) {
	r := setUp(t, "")
	var x []float32
	for _, v := range grid(0, 86, 500) {
		x = append(x, 0, -v)
	}
	for log, limit := range map[bool]float64{false: 2, true: 2} {
		m := r.spread(x, len(x)/2, 2)
		forward := r.set.Softmax
		if log {
			forward = r.set.LogSoftmax
		}
		require.NoError(t, forward(r.stream, m, m))
		for i, got := range r.dense(m) {
			want := -math.Log1p(math.Exp(float64(x[i|1]))) + float64(x[i])
			if !log {
				want = math.Exp(float64(x[i])) / (1 + math.Exp(float64(x[i|1])))
			}
			if !log || i%2 == 1 { // of the larger logit the logarithm is near 0
				require.LessOrEqual(t, ulps(want, got), limit, "%v of %v", got, x[i|1])
			} else {
				require.InDelta(t, want, got, 2e-7)
			}
		}
	}
}
