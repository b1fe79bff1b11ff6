package kernels_test

import (
	"encoding/binary"
	"math"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// shapes are rows and columns about the sizes of warps and blocks.
var shapes = [][2]int{{0, 5}, {1, 1}, {2, 31}, {7, 33}, {9, 32}, {33, 2}, {3, 300}}

// spread puts a matrix on the device with a gap behind each row.
func (r *rig) spread(x []float32, rows, columns int) kernels.Matrix {
	r.Helper()
	m := kernels.Matrix{Rows: rows, Columns: columns, Stride: columns + 2}
	gaps := make([]float32, rows*m.Stride)
	for i := range gaps {
		gaps[i] = gap
	}
	for row := range rows {
		copy(gaps[row*m.Stride:], x[row*columns:][:columns])
	}
	m.Buffer = put(r, gaps)
	return m
}

// gap is what stands between rows, and must stay there.
const gap = -77

// dense returns a spread matrix without the gaps.
func (r *rig) dense(m kernels.Matrix) []float32 {
	r.Helper()
	x := []float32{}
	for i, v := range r.get(m.Buffer) {
		if i%m.Stride < m.Columns {
			x = append(x, v)
			continue
		}
		require.Equal(r, float32(gap), v, "what is between the rows stays")
	}
	return x
}

// empty is a matrix for a result.
func (r *rig) empty(rows, columns int) kernels.Matrix {
	return r.spread(make([]float32, rows*columns), rows, columns)
}

// words returns the integers in a buffer.
func (r *rig) words(b gpu.Buffer) []int32 {
	r.Helper()
	data := make([]byte, b.Size())
	require.NoError(r, r.stream.Download(ctx, data, b))
	values := make([]int32, len(data)/4)
	_, err := binary.Decode(data, binary.LittleEndian, values)
	require.NoError(r, err)
	return values
}

// close compares results with those in float64.
func (r *rig) close(want []float64, got []float32, tolerance float64) {
	r.Helper()
	require.Len(r, got, len(want))
	for i, v := range got {
		if math.IsNaN(want[i]) {
			require.True(r, v != v, "element %d is %v, want NaN", i, v)
			continue
		}
		require.InDelta(r, want[i], v, tolerance*math.Max(1, math.Abs(want[i])), "element %d", i)
	}
}

// wide returns numbers as float64.
func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// run is the rows first <= j < end of a matrix.
type run struct{ first, end int }

// division is runs on the device and what they are.
type division struct {
	runs kernels.Runs
	want []run
}

// divisions are ways to divide rows, of which there must be 41 or more: into lists, one
// of them empty and some rows in none, and into pieces.
func (r *rig) divisions(rows int) map[string]division {
	r.Helper()
	lists := division{kernels.Runs{N: 4, Start: put(r, []int32{0, 3, 3, 40, 41})}, []run{{0, 3}, {3, 3}, {3, 40}, {40, 41}}}
	pieces := division{runs: kernels.Runs{N: (rows + 6) / 7, Length: 7}}
	for first := 0; first < rows; first += 7 {
		pieces.want = append(pieces.want, run{first, min(first+7, rows)})
	}
	return map[string]division{"lists": lists, "pieces": pieces}
}
