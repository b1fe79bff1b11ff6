package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// softmax is a loop over float64.
func softmax(x []float64, log bool) []float64 {
	top, sum, y := math.Inf(-1), 0.0, make([]float64, len(x))
	for _, v := range x {
		top = math.Max(top, v)
	}
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	for i, v := range x {
		y[i] = v - top - math.Log(sum)
		if !log {
			y[i] = math.Exp(v-top) / sum
		}
	}
	return y
}

// softmaxGradient multiplies g with the matrix of derivatives, written out.
func softmaxGradient(x, g []float64, log bool) []float64 {
	p, out := softmax(x, false), make([]float64, len(x))
	for i := range x {
		for j := range x {
			same := 0.0
			if i == j {
				same = 1
			}
			d := same - p[i] // of the logarithm of p[j] by x[i]
			if !log {
				d *= p[j]
			}
			out[i] += g[j] * d
		}
	}
	return out
}

// logits returns numbers of very different sizes.
func logits(seed uint64, n int) []float32 {
	x := random(seed, n)
	for i := range x {
		x[i] *= 20
		if i%50 == 49 {
			x[i] *= 20 // exponentials overflow or vanish
		}
	}
	return x
}

func TestSoftmax(t *testing.T) {
	r := setUp(t, "")
	for _, log := range []bool{false, true} {
		forward, backward := r.set.Softmax, r.set.SoftmaxGradient
		if log {
			forward, backward = r.set.LogSoftmax, r.set.LogSoftmaxGradient
		}
		for _, shape := range shapes {
			n, width := shape[0], shape[1]
			x, g := logits(1, n*width), random(2, n*width)
			var want, gradient []float64
			for row := range n {
				at := row * width
				want = append(want, softmax(wide(x[at:at+width]), log)...)
				gradient = append(gradient, softmaxGradient(wide(x[at:at+width]), wide(g[at:at+width]), log)...)
			}
			y, dx := r.spread(x, n, width), r.empty(n, width)
			require.NoError(t, forward(r.stream, y, y))
			r.close(want, r.dense(y), 3e-7)
			require.NoError(t, backward(r.stream, dx, y, r.spread(g, n, width)))
			r.close(gradient, r.dense(dx), 3e-6)
		}
	}
}

func TestSoftmaxRuns(t *testing.T) {
	r := setUp(t, "")
	const rows = 45
	for _, log := range []bool{false, true} {
		forward, backward := r.set.SoftmaxRuns, r.set.SoftmaxRunsGradient
		if log {
			forward, backward = r.set.LogSoftmaxRuns, r.set.LogSoftmaxRunsGradient
		}
		for _, width := range []int{1, 35} {
			x, g := logits(1, rows*width), random(2, rows*width)
			for _, d := range r.divisions(rows) {
				want, gradient := make([]float64, rows*width), make([]float64, rows*width)
				for _, run := range d.want {
					for c := range width {
						p := softmax(column(x, width, run, c), log)
						dp := softmaxGradient(column(x, width, run, c), column(g, width, run, c), log)
						for j := range p {
							want[(run.first+j)*width+c], gradient[(run.first+j)*width+c] = p[j], dp[j]
						}
					}
				}
				y, dx := r.empty(rows, width), r.empty(rows, width)
				require.NoError(t, forward(r.stream, d.runs, y, r.spread(x, rows, width)))
				r.close(want, r.dense(y), 3e-7)
				require.NoError(t, backward(r.stream, d.runs, dx, y, r.spread(g, rows, width)))
				r.close(gradient, r.dense(dx), 3e-6)
			}
		}
	}
}

// What is not finite behaves as in IEEE arithmetic; a class that is impossible has the
// probability 0.
func TestSoftmaxOfNonFinite(t *testing.T) {
	r := setUp(t, "")
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, test := range []struct{ x, want []float32 }{
		{[]float32{0, -inf}, []float32{1, 0}},
		{[]float32{0, nan, 3}, []float32{nan, nan, nan}},
		{[]float32{-inf, -inf}, []float32{nan, nan}},
		{[]float32{1e38, -1e38}, []float32{1, 0}},
	} {
		m := r.spread(test.x, 1, len(test.x))
		require.NoError(t, r.set.Softmax(r.stream, m, m))
		r.close(wide(test.want), r.dense(m), 0)
	}
}

func TestCrossEntropy(t *testing.T) {
	r := setUp(t, "")
	for _, shape := range shapes {
		n, width := shape[0], shape[1]
		x, g, label := logits(1, n*width), random(2, n), make([]int32, n)
		var loss, gradient []float64
		for i := range label {
			label[i] = int32(i * 5 % width)
			row := wide(x[i*width:][:width])
			loss = append(loss, -softmax(row, true)[label[i]])
			d := softmax(row, false)
			d[label[i]]--
			for _, v := range d {
				gradient = append(gradient, float64(g[i])*v)
			}
		}
		logits, labels := r.spread(x, n, width), put(r, label)
		out := put(r, make([]float32, n))
		require.NoError(t, r.set.CrossEntropy(r.stream, out, logits, labels))
		r.close(loss, r.get(out), 3e-7)
		require.NoError(t, r.set.CrossEntropyGradient(r.stream, logits, logits, labels, put(r, g)))
		r.close(gradient, r.dense(logits), 3e-7)
	}
}

func TestDistributionsRefuseArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	m, narrow := kernels.Matrix{Buffer: b, Rows: 3, Columns: 4}, kernels.Matrix{Buffer: b, Rows: 3, Columns: 3}
	for message, err := range map[string]error{
		"softmax_rows: invalid argument: f32[3 4] and f32[3 3], want one shape": r.set.Softmax(r.stream, narrow, m),
		"log_softmax_runs_gradient: invalid argument: f32[3 4]":                 r.set.LogSoftmaxRunsGradient(r.stream, kernels.Runs{}, m, m, narrow),
		"softmax_runs: invalid argument: -1 runs":                               r.set.SoftmaxRuns(r.stream, kernels.Runs{N: -1}, m, m),
		"label has 8 bytes, want 3 words":                                       r.set.CrossEntropy(r.stream, b, m, b.Slice(0, 8)),
		"g has 8 bytes, want 3 words":                                           r.set.CrossEntropyGradient(r.stream, m, m, b, b.Slice(0, 8)),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
