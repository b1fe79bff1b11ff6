package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// loops are the reductions as loops over float64.
var loops = map[kernels.Reduction]func(x []float64) float64{
	kernels.Sum:  total,
	kernels.Mean: func(x []float64) float64 { return total(x) / float64(len(x)) },
	kernels.Max: func(x []float64) float64 {
		top := math.Inf(-1)
		for _, v := range x {
			top = max(top, v) // NaN if there is one
		}
		return top
	},
	kernels.ArgMax: func(x []float64) float64 {
		best := -1
		for i, v := range x {
			if best < 0 || v > x[best] || math.IsNaN(v) && !math.IsNaN(x[best]) {
				best = i
			}
		}
		return float64(best)
	},
}

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// ties returns numbers among which many are equal, and sometimes NaN or infinite.
func ties(seed uint64, n int) []float32 {
	x := random(seed, n)
	for i, v := range x {
		x[i] = float32(math.Round(float64(4 * v)))
		switch i % 97 {
		case 50:
			x[i] = float32(math.NaN())
		case 70:
			x[i] = float32(math.Inf(-1))
		}
	}
	return x
}

// results returns what a reduction wrote.
func (r *rig) results(op kernels.Reduction, m kernels.Matrix) []float32 {
	r.Helper()
	if op != kernels.ArgMax {
		return r.dense(m)
	}
	var x []float32
	for i, v := range r.words(m.Buffer) {
		if i%m.Stride < m.Columns {
			x = append(x, float32(v))
		}
	}
	return x
}

func TestReduceRows(t *testing.T) {
	r := setUp(t, "")
	for op, loop := range loops {
		for _, shape := range shapes {
			n, width := shape[0], shape[1]
			x := ties(1, n*width)
			out := kernels.Matrix{Buffer: put(r, make([]float32, n)), Rows: n, Columns: 1, Stride: 1}
			require.NoError(t, r.set.ReduceRows(r.stream, op, out.Buffer, r.spread(x, n, width)))
			var want []float64
			for row := range n {
				want = append(want, loop(wide(x[row*width:][:width])))
			}
			r.close(want, r.results(op, out), 1e-6)
		}
	}
}

func TestReduceRuns(t *testing.T) {
	r := setUp(t, "")
	const rows = 45
	for op, loop := range loops {
		for _, width := range []int{1, 5, 33, 300} {
			x := ties(2, rows*width)
			for name, d := range r.divisions(rows) {
				out := r.empty(d.runs.N, width)
				require.NoError(t, r.set.ReduceRuns(r.stream, op, out, r.spread(x, rows, width), d.runs))
				var want []float64
				for _, run := range d.want {
					for c := range width {
						want = append(want, loop(column(x, width, run, c)))
					}
				}
				t.Log(name, op, width)
				r.close(want, r.results(op, out), 1e-6)
			}
		}
	}
}

// column returns the elements of a column in a run.
func column(x []float32, width int, run run, c int) []float64 {
	var y []float64
	for j := run.first; j < run.end; j++ {
		y = append(y, float64(x[j*width+c]))
	}
	return y
}

func TestReduceIntegers(t *testing.T) {
	r := setUp(t, "")
	const n, width = 9, 40
	x := indices(3, n*width, 1000)
	x[5], x[6] = math.MaxInt32, math.MaxInt32 // the sum wraps around
	m := kernels.Matrix{Buffer: put(r, x), Rows: n, Columns: width}
	for op, loop := range map[kernels.Reduction]func(a, b int32) int32{
		kernels.SumIntegers: func(a, b int32) int32 { return a + b },
		kernels.MaxIntegers: func(a, b int32) int32 { return max(a, b) },
	} {
		rows, columns := make([]int32, n), make([]int32, width)
		for i, v := range x {
			row, c := i/width, i%width
			if c == 0 {
				rows[row] = v
			} else {
				rows[row] = loop(rows[row], v)
			}
			if row == 0 {
				columns[c] = v
			} else {
				columns[c] = loop(columns[c], v)
			}
		}
		out := put(r, make([]int32, n))
		require.NoError(t, r.set.ReduceRows(r.stream, op, out, m))
		require.Equal(t, rows, r.words(out))
		across := kernels.Matrix{Buffer: put(r, make([]int32, width)), Rows: 1, Columns: width}
		require.NoError(t, r.set.ReduceRuns(r.stream, op, across, m, kernels.Runs{N: 1, Length: n}))
		require.Equal(t, columns, r.words(across.Buffer))
	}
}

// The sums are those of a loop, bit for bit, and begin with what is there.
func TestAddRuns(t *testing.T) {
	r := setUp(t, "")
	const rows, width = 41, 35
	x, want := random(1, rows*width), random(2, 4*width)
	d := r.divisions(rows)["lists"]
	out := r.spread(want, 4, width)
	require.NoError(t, r.set.AddRuns(r.stream, out, r.spread(x, rows, width), d.runs))
	for i, run := range d.want {
		for j := run.first; j < run.end; j++ {
			for c := range width {
				want[i*width+c] += x[j*width+c]
			}
		}
	}
	require.Equal(t, want, r.dense(out))
}

func TestPlaceInRows(t *testing.T) {
	r := setUp(t, "")
	for _, shape := range shapes {
		n, width := shape[0], shape[1]
		place, value := make([]int32, n), random(1, n)
		oneHot, placed := make([]float32, n*width), make([]float32, n*width)
		for i := range place {
			place[i] = int32(i * 7 % width)
			oneHot[i*width+int(place[i])], placed[i*width+int(place[i])] = 1, value[i]
		}
		out := r.spread(random(2, n*width), n, width)
		require.NoError(t, r.set.PlaceInRows(r.stream, out, put(r, place), gpu.Buffer{}))
		require.Equal(t, oneHot, r.dense(out))
		require.NoError(t, r.set.PlaceInRows(r.stream, out, put(r, place), put(r, value)))
		require.Equal(t, placed, r.dense(out))
	}
}

// With the places of a maximum, this is its gradient.
func TestPlaceInRuns(t *testing.T) {
	r := setUp(t, "")
	const rows, width = 41, 33
	x := ties(1, rows*width)
	for _, d := range r.divisions(rows) {
		n := d.runs.N
		g := random(3, n*width)
		place := kernels.Matrix{Buffer: put(r, make([]int32, n*width)), Rows: n, Columns: width}
		require.NoError(t, r.set.ReduceRuns(r.stream, kernels.ArgMax, place, r.spread(x, rows, width), d.runs))
		out := r.empty(rows, width)
		require.NoError(t, r.set.PlaceInRuns(r.stream, out, place, kernels.Matrix{Buffer: put(r, g), Rows: n, Columns: width}, d.runs))
		want := make([]float32, rows*width)
		for i, run := range d.want {
			for c := range width {
				if best := loops[kernels.ArgMax](column(x, width, run, c)); best >= 0 {
					want[(run.first+int(best))*width+c] = g[i*width+c]
				}
			}
		}
		require.Equal(t, want, r.dense(out))
	}
}

func TestReductionsRefuseArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	m := kernels.Matrix{Buffer: b, Rows: 3, Columns: 4}
	for message, err := range map[string]error{
		"reduction -1":                     r.set.ReduceRows(r.stream, -1, b, m),
		"reduction 6":                      r.set.ReduceRuns(r.stream, 6, m, m, kernels.Runs{N: 3, Length: 1}),
		"out has 8 bytes, want 3 words":    r.set.ReduceRows(r.stream, kernels.Sum, b.Slice(0, 8), m),
		"2 runs of f32[3 4] into f32[3 4]": r.set.ReduceRuns(r.stream, kernels.Sum, m, m, kernels.Runs{N: 2, Length: 1}),
		"Start has 12 bytes, want 4 words": r.set.ReduceRuns(r.stream, kernels.Sum, m, m, kernels.Runs{N: 3, Start: b.Slice(0, 12)}),
		"3 runs of -1 rows":                r.set.AddRuns(r.stream, m, m, kernels.Runs{N: 3, Length: -1}),
		"place has 8 bytes, want 3 words":  r.set.PlaceInRows(r.stream, m, b.Slice(0, 8), b),
		"value has 8 bytes, want 3 words":  r.set.PlaceInRows(r.stream, m, b, b.Slice(0, 8)),
		"1 runs of f32[3 4] from f32[3 4]": r.set.PlaceInRuns(r.stream, m, m, m, kernels.Runs{N: 1}),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
