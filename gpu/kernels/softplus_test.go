package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

func TestSoftplus(t *testing.T) {
	r := setUp(t, "")
	inf := float32(math.Inf(1))
	x := append(grid(-100, 100, 3000), 0, inf, -inf, float32(math.NaN()))
	worst := 0.0
	for _, n := range append(sizes, len(x)) {
		b := put(r, x[:n])
		require.NoError(t, r.set.Softplus(r.stream, b, b))
		for i, got := range r.get(b) {
			v := float64(x[i])
			want := math.Max(v, 0) + math.Log1p(math.Exp(-math.Abs(v)))
			off := ulps(want, got)
			require.LessOrEqual(t, off, 3.0, "softplus(%v) = %v, want %v", v, got, want)
			worst = max(worst, off)
		}
	}
	t.Logf("at most %.2f ulp", worst)
}

func TestSoftplusRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 4))
	err := r.set.Softplus(r.stream, b, b.Slice(0, 8))
	require.ErrorIs(t, err, gpu.ErrArgument)
	require.ErrorContains(t, err, "softplus: invalid argument: x has 8 bytes, want 4 words")
}
