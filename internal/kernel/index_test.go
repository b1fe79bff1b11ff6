package kernel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGatherAndScatterRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		r := rng(8)
		for _, n := range []int{0, 1, 3, 8, 17, 300} {
			const table, count = 11, 40
			lds, ldd := n+2, n+1
			src := randomSlice(r, table*lds)
			rows := make([]int32, count)
			for i := range rows {
				rows[i] = int32(r.IntN(table))
			}
			dst := guard((count-1)*ldd+n, 3)
			GatherRows(dst.data, ldd, src, lds, rows, n)
			dst.intact(t)
			want := append([]float32(nil), src...)
			for i, row := range rows {
				got := dst.data[i*ldd : i*ldd+n]
				require.Equal(t, src[int(row)*lds:int(row)*lds+n], got)
				for j, v := range got {
					want[int(row)*lds+j] += v
				}
			}
			sum := guard(len(src), 1)
			copy(sum.data, src)
			ScatterAddRows(sum.data, lds, dst.data, ldd, rows, n)
			sum.intact(t)
			require.Equal(t, bits(want), bits(sum.data))
		}
	})
}

func TestRowsPanicOutOfRange(t *testing.T) {
	x, y := make([]float32, 12), make([]float32, 12)
	for _, row := range []int32{-1, 4} {
		assert.Panics(t, func() { GatherRows(x, 3, y, 3, []int32{row}, 3) })
		assert.Panics(t, func() { ScatterAddRows(x, 3, y, 3, []int32{row}, 3) })
	}
}
