package kernels_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

func TestGroupRows(t *testing.T) {
	target, start, source, err := kernels.GroupRows([]int32{4, -1, 0, 4, 2, 0, 4}, 5)
	require.NoError(t, err)
	require.Equal(t, []int32{0, 2, 4}, target)
	require.Equal(t, []int32{0, 2, 3, 6}, start)
	require.Equal(t, []int32{2, 5, 4, 0, 3, 6}, source)

	target, start, source, err = kernels.GroupRows([]int32{-1, -5}, 5)
	require.NoError(t, err)
	require.Empty(t, target)
	require.Equal(t, []int32{0}, start)
	require.Empty(t, source)

	_, _, _, err = kernels.GroupRows([]int32{1, 5}, 5)
	require.ErrorIs(t, err, gpu.ErrArgument)
	require.ErrorContains(t, err, "index 1 is 5, the table has 5 rows")
}

// The gradient of the rows of an embedding is that of a loop, bit for bit.
func TestEmbeddingGradient(t *testing.T) {
	r := setUp(t, "")
	const rows, n, width = 6, 50, 33
	want, x, index := random(1, rows*width), random(2, n*width), indices(3, n, rows)
	table := kernels.Matrix{Buffer: put(r, slices.Clone(want)), Rows: rows, Columns: width}
	target, start, source, err := kernels.GroupRows(index, rows)
	require.NoError(t, err)
	lists := kernels.Segments{Target: put(r, target), Start: put(r, start), Source: put(r, source), N: len(target)}
	require.NoError(t, r.set.AddSegments(r.stream, table, kernels.Matrix{Buffer: put(r, x), Rows: n, Columns: width}, lists))
	for i, row := range index {
		for c := 0; row >= 0 && c < width; c++ {
			want[int(row)*width+c] += x[i*width+c]
		}
	}
	require.Equal(t, want, r.get(table.Buffer))
}
