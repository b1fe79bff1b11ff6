package kernels_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

func TestGatherRows(t *testing.T) {
	r := setUp(t, "")
	for _, shape := range [][3]int{{1, 1, 1}, {20, 5, 33}, {9, 7, 64}, {0, 3, 4}} {
		n, rows, width := shape[0], shape[1], shape[2]
		x, index := random(1, rows*(width+2)), indices(2, n, rows)
		table := kernels.Matrix{Buffer: put(r, x), Rows: rows, Columns: width, Stride: width + 2}
		out := kernels.Matrix{Buffer: put(r, make([]float32, n*width)), Rows: n, Columns: width}
		require.NoError(t, r.set.GatherRows(r.stream, out, table, put(r, index)))
		want := make([]float32, 0, n*width)
		for _, i := range index {
			if i < 0 {
				want = append(want, make([]float32, width)...)
				continue
			}
			want = append(want, x[int(i)*(width+2):][:width]...)
		}
		require.Equal(t, want, r.get(out.Buffer))
	}
}

// Sums of small integers are exact in any order.
func TestScatterAddRows(t *testing.T) {
	for _, seed := range []string{"seed=1", "seed=2"} {
		r := setUp(t, seed)
		const n, rows, width = 50, 6, 35
		want, x, index := make([]float32, rows*width), make([]float32, n*width), indices(3, n, rows)
		for i := range x {
			x[i] = float32(i % 13)
		}
		for i := range want {
			want[i] = float32(i)
		}
		table := kernels.Matrix{Buffer: put(r, want), Rows: rows, Columns: width}
		matrix := kernels.Matrix{Buffer: put(r, x), Rows: n, Columns: width}
		require.NoError(t, r.set.ScatterAddRows(r.stream, table, matrix, put(r, index)))
		for i, row := range index {
			for c := 0; row >= 0 && c < width; c++ {
				want[int(row)*width+c] += x[i*width+c]
			}
		}
		require.Equal(t, want, r.get(table.Buffer))
	}
}

// The sums are those of a loop, bit for bit.
func TestAddSegments(t *testing.T) {
	r := setUp(t, "")
	const rows, n, width = 7, 40, 37
	want, x := random(1, rows*width), random(2, n*width)
	target, start, source := []int32{5, 0, 6, 2}, []int32{0, 3, 3, 10, 11}, []int32{4, 39, 4, 1, 2, 3, 30, 20, 10, 5, 0}
	table := kernels.Matrix{Buffer: put(r, slices.Clone(want)), Rows: rows, Columns: width}
	matrix := kernels.Matrix{Buffer: put(r, x), Rows: n, Columns: width}
	lists := kernels.Segments{Target: put(r, target), Start: put(r, start), Source: put(r, source), N: len(target)}
	require.NoError(t, r.set.AddSegments(r.stream, table, matrix, lists))
	for s, to := range target {
		for _, from := range source[start[s]:start[s+1]] {
			for c := range width {
				want[int(to)*width+c] += x[int(from)*width+c]
			}
		}
	}
	require.Equal(t, want, r.get(table.Buffer))
}

func TestRowsRefuseShapes(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	table := kernels.Matrix{Buffer: b, Rows: 3, Columns: 4}
	narrow := kernels.Matrix{Buffer: b, Rows: 3, Columns: 3}
	index := b.Slice(0, 8)
	for message, err := range map[string]error{
		"gather: invalid argument: the table is f32[3 4], the rows f32[3 3]": r.set.GatherRows(r.stream, narrow, table, b),
		"scatter-add: invalid argument: the index has 8 bytes, want 3 words": r.set.ScatterAddRows(r.stream, table, table, index),
		"add segments: invalid argument: Start has 8 bytes, want 3 words":    r.set.AddSegments(r.stream, table, table, kernels.Segments{Target: index, Start: index, Source: index, N: 2}),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
