package cuda_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/cuda"
)

// Factors are rounded as asked for, and no more: the errors of products say how much.
func TestPrecisions(t *testing.T) {
	const m, k, n = 20, 40, 30
	x, w := random(1, m*k), random(2, k*n)
	for _, test := range []struct {
		precision cuda.Precision
		low, high float64 // of the largest error, as a part of the sum of absolute values
	}{{cuda.FP32, 0, 0x1p-22}, {cuda.TF32, 0x1p-16, 0x1p-11}, {cuda.BF16, 0x1p-13, 0x1p-8}} {
		r := setUp(t, "", cuda.Options{Precision: test.precision})
		product, err := r.Alloc(m * n)
		require.NoError(t, err)
		a := device.Rows{Buffer: r.floats(x), Stride: k}
		require.NoError(t, r.Multiply(device.Product{
			M: m, A: a, C: device.Rows{Buffer: product, Stride: n}, W: device.Matrix{Buffer: r.floats(w), Rows: k, Columns: n, Stride: n},
		}))
		outer, err := r.Alloc(k * n)
		require.NoError(t, err)
		require.NoError(t, r.AddOuter(device.OuterSum{
			Into: device.Matrix{Buffer: outer, Rows: k, Columns: n, Stride: n}, Set: true, N: m, A: a, B: device.Rows{Buffer: product, Stride: n},
		}))
		p := r.get(product)
		worst := worstError(p, m, n, k, func(i, j, l int) (float32, float32) { return x[i*k+l], w[l*n+j] })
		require.True(t, test.low <= worst && worst <= test.high, "precision %d: products are off by %g", test.precision, worst)
		worst = worstError(r.get(outer), k, n, m, func(i, j, l int) (float32, float32) { return x[l*k+i], p[l*n+j] })
		require.True(t, test.low <= worst && worst <= test.high, "precision %d: outer products are off by %g", test.precision, worst)
	}
}

// worstError compares a product with sums in float64, and returns the largest error as a
// part of the sum of the absolute values of what is added.
func worstError(got []float32, m, n, k int, factors func(i, j, l int) (float32, float32)) float64 {
	worst := 0.0
	for i := range m {
		for j := range n {
			sum, size := 0.0, 0.0
			for l := range k {
				a, b := factors(i, j, l)
				sum += float64(a) * float64(b)
				size += math.Abs(float64(a) * float64(b))
			}
			worst = math.Max(worst, math.Abs(float64(got[i*n+j])-sum)/size)
		}
	}
	return worst
}

// Sums over many rows are computed in pieces, with the same bits every time; rows may be
// named by indices, or be the same for all.
func TestSumsOfManyOuterProducts(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	const table, rows, columns, n = 9, 3, 5, 700
	x, y := random(1, table*rows), random(2, n*columns)
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(i * i % table)
	}
	named := device.Rows{Buffer: r.floats(x), Stride: rows, Index: r.ints(index...)}
	tight := device.Rows{Buffer: r.floats(y), Stride: columns}
	repeated := tight
	repeated.Stride = 0
	for what, b := range map[string]device.Rows{"tight": tight, "repeated": repeated} {
		var first []float32
		for range 2 {
			into := r.floats(make([]float32, rows*columns))
			o := device.OuterSum{Into: device.Matrix{Buffer: into, Rows: rows, Columns: columns, Stride: columns}, N: n, A: named, B: b}
			require.NoError(t, r.AddOuter(o))
			got := r.get(into)
			worst := worstError(got, rows, columns, n, func(i, j, l int) (float32, float32) {
				return x[int(index[l])*rows+i], y[l*b.Stride+j]
			})
			require.LessOrEqual(t, worst, 0x1p-21, what)
			if first != nil {
				require.Equal(t, first, got, what)
			}
			first = got
		}
	}
}

// Of rows that are all the same, any number may be named.
func TestRepeatedRowsAreNamed(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	x, w := random(1, 4), random(2, 8)
	repeated := device.Rows{Buffer: r.floats(x), Index: r.ints(0, 7, 3)}
	out := r.floats(make([]float32, 6))
	require.NoError(t, r.Multiply(device.Product{
		M: 3, A: repeated, C: device.Rows{Buffer: out, Stride: 2}, W: device.Matrix{Buffer: r.floats(w), Rows: 4, Columns: 2, Stride: 2},
	}))
	require.LessOrEqual(t, worstError(r.get(out), 3, 2, 4, func(_, j, l int) (float32, float32) { return x[l], w[2*l+j] }), 0x1p-22)

	into := r.floats(make([]float32, 8))
	repeated.Index = device.Index{}
	require.NoError(t, r.AddGroups(device.Groups{
		To: device.Rows{Buffer: into, Stride: 4}, From: repeated, Target: r.ints(1, 0), Start: r.ints(0, 2, 3), Source: r.ints(5, 0, 9),
		N: 2, Sources: 3, Width: 4,
	}))
	for i, got := range r.get(into) {
		require.Equal(t, float32(1+i/4)*x[i%4], got)
	}
}

// Rows may begin within the one before, as parts of a row do that is counted in words.
func TestRowsThatOverlap(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	const m, k, n, stride = 3, 4, 2, 2
	x, w, y := random(1, 12), random(2, k*n), random(3, m*n)
	for _, index := range [][]int32{{0, 1, 2}, {0, 3, 1}} {
		a := device.Rows{Buffer: r.floats(x), Stride: stride}
		if index[1] != 1 {
			a.Index = r.ints(index...)
		}
		out, into := r.floats(make([]float32, m*n)), r.floats(make([]float32, k*n))
		c := device.Rows{Buffer: out, Stride: n}
		require.NoError(t, r.Multiply(device.Product{M: m, A: a, C: c, W: device.Matrix{Buffer: r.floats(w), Rows: k, Columns: n, Stride: n}}))
		at := func(i, l int) float32 { return x[int(index[i])*stride+l] }
		require.LessOrEqual(t, worstError(r.get(out), m, n, k, func(i, j, l int) (float32, float32) { return at(i, l), w[l*n+j] }), 0x1p-22)

		b := device.Rows{Buffer: r.floats(y), Stride: n}
		require.NoError(t, r.AddOuter(device.OuterSum{Into: device.Matrix{Buffer: into, Rows: k, Columns: n, Stride: n}, N: m, A: a, B: b}))
		require.LessOrEqual(t, worstError(r.get(into), k, n, m, func(i, j, l int) (float32, float32) { return at(l, i), y[l*n+j] }), 0x1p-22)
	}
}

func TestProductsRefuseShapes(t *testing.T) {
	r := setUp(t, "", cuda.Options{})
	b := r.floats(random(1, 12))
	matrix := func(rows, columns int) device.Matrix {
		return device.Matrix{Buffer: b, Rows: rows, Columns: columns, Stride: columns}
	}
	rows := device.Rows{Buffer: b, Stride: 3}
	for message, err := range map[string]error{
		"a matrix of [3 4] from the transpose of [3 4]":  r.CopyMatrix(matrix(3, 4), matrix(3, 4), true),
		"a matrix of [3 4] from [4 3]":                   r.CopyMatrix(matrix(3, 4), matrix(4, 3), false),
		"words 0 to 15 of a buffer of 12":                r.CopyMatrix(matrix(3, 5), matrix(3, 5), false),
		"words 0 to 13 of a buffer of 12":                r.Multiply(device.Product{M: 2, A: rows, C: rows, W: matrix(13, 1)}),
		"words 0 to 42 of a buffer of 12":                r.Multiply(device.Product{M: 1, A: rows, C: rows, W: matrix(3, 14)}),
		"words 10 to 13 of a buffer of 12":               r.Multiply(device.Product{M: 1, A: rows, C: rows, W: matrix(3, 3), Bias: b, BiasOffset: 10}),
		"words 0 to 27 of a buffer of 12":                r.AddOuter(device.OuterSum{Into: matrix(3, 3), N: 9, A: rows, B: rows}),
		"words 11 to 14 of a buffer of 12":               r.AddColumns(device.ColumnSum{Into: b, Offset: 11, X: rows, N: 1, Width: 3}),
		"words 0 to 2 of a buffer of 1":                  r.AddGroups(device.Groups{To: rows, From: rows, Target: r.ints(0), Start: r.ints(0), N: 1, Width: 3}),
		"rule 9 of optimisation":                         r.Update(device.Update{Rule: 9}),
		"the buffer is of another kind of device: <nil>": r.Update(device.Update{Weights: b, Gradient: b, Rule: device.Adam}),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument, message)
		require.ErrorContains(t, err, message)
	}
}
