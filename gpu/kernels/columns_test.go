package kernels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

func TestSumColumns(t *testing.T) {
	r := setUp(t, "")
	for _, shape := range append(shapes, [2]int{256, 3}, [2]int{257, 33}, [2]int{700, 40}) {
		n, width := shape[0], shape[1]
		x, y, before := random(1, n*width), random(2, n*width), random(3, width)
		for options := range 8 {
			p := kernels.Columns{X: r.spread(x, n, width), Accumulate: options&1 != 0, AnyOrder: options&2 != 0}
			if options&4 != 0 {
				p.Y = r.spread(y, n, width)
			}
			out := put(r, before)
			require.NoError(t, r.set.SumColumns(r.stream, out, p))
			want := make([]float64, width)
			for c := range want {
				if p.Accumulate {
					want[c] = float64(before[c])
				}
				for row := range n {
					v := float64(x[row*width+c])
					if options&4 != 0 {
						v *= float64(y[row*width+c])
					}
					want[c] += v
				}
			}
			r.close(want, r.get(out), 2e-5)
		}
	}
}

// Schedules of the device that differ give the same bits.
func TestSumColumnsIsDeterministic(t *testing.T) {
	var first []float32
	for _, seed := range []string{"seed=1", "seed=2", "seed=3"} {
		r := setUp(t, seed)
		const n, width = 900, 35
		out := put(r, make([]float32, width))
		require.NoError(t, r.set.SumColumns(r.stream, out, kernels.Columns{X: r.spread(random(1, n*width), n, width)}))
		got := r.get(out)
		if first == nil {
			first = got
		}
		require.Equal(t, first, got)
	}
}

func TestSumColumnsRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	m, narrow := kernels.Matrix{Buffer: b, Rows: 3, Columns: 4}, kernels.Matrix{Buffer: b, Rows: 3, Columns: 3}
	for message, err := range map[string]error{
		"out has 8 bytes, want 4 words":           r.set.SumColumns(r.stream, b.Slice(0, 8), kernels.Columns{X: m}),
		"f32[3 4] and f32[3 3], want one shape":   r.set.SumColumns(r.stream, b, kernels.Columns{X: m, Y: narrow}),
		"X is f32[4 4] with a stride of 4":        r.set.SumColumns(r.stream, b, kernels.Columns{X: kernels.Matrix{Buffer: b, Rows: 4, Columns: 4}}),
		"X is f32[2147483647 0] with a stride of": r.set.SumColumns(r.stream, b, kernels.Columns{X: kernels.Matrix{Buffer: b, Rows: 1<<31 - 1, Columns: 0, Stride: -1}}),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
