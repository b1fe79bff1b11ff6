package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

func TestAddSquares(t *testing.T) {
	r := setUp(t, "")
	for _, n := range []int{0, 1, 255, 256, 257, 5000, 9000} {
		x := random(uint64(n), n)
		want := 3.0
		for _, v := range x {
			want += float64(v) * float64(v)
		}
		b := put(r, x)
		var first []float32
		for range 2 {
			sum := put(r, []float32{3, gap})
			require.NoError(t, r.set.AddSquares(r.stream, sum, b))
			got := r.get(sum)
			require.InDelta(t, want, got[0], want*float64(n+2)*0x1p-24)
			require.Equal(t, float32(gap), got[1])
			if first != nil {
				require.Equal(t, first, got, "the same bits every time")
			}
			first = got
		}
	}
}

func TestScale(t *testing.T) {
	r := setUp(t, "")
	x := append(random(1, 700), float32(math.Inf(1)), 0)
	b := put(r, append(x, gap))
	require.NoError(t, r.set.Scale(r.stream, b.Slice(0, int64(4*len(x))), -0.3))
	for i, got := range r.get(b)[:len(x)] {
		require.Equal(t, x[i]*-0.3, got)
	}
	require.Equal(t, float32(gap), r.get(b)[len(x)])
	require.NoError(t, r.set.Scale(r.stream, b.Slice(0, 0), 2))
}

func TestNormRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 4))
	require.ErrorIs(t, r.set.AddSquares(r.stream, b.Slice(0, 2), b), gpu.ErrArgument)
	require.ErrorIs(t, r.set.Scale(r.stream, b.Slice(0, 99), 2), gpu.ErrArgument)
}
