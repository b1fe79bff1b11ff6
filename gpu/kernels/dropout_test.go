package kernels_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// The device drops what the CPU drops.
func TestDropout(t *testing.T) {
	r := setUp(t, "")
	const seed = 0x123456789abcdef0
	for _, shape := range shapes {
		n, width := shape[0], shape[1]
		x, keys := random(1, n*width), make([]uint32, n)
		for i := range keys {
			keys[i] = 0x9e3779b9 * uint32(i)
		}
		for _, rate := range []float64{0, 0.3, 0.5, 0.999} {
			op := ops.DropoutOp{Rate: rate, Salt: 0x7654321}
			want, err := op.EvalKeyed([]*ops.Tensor{{DType: graph.Float32, Shape: graph.Shape{n, width}, F: wide(x)}}, seed, keys...)
			require.NoError(t, err)
			out := r.spread(x, n, width)
			d := kernels.Dropout{Rate: rate, Salt: op.Salt, Seed: seed, Keys: put(r, keys)}
			require.NoError(t, r.set.Dropout(r.stream, out, out, d))
			got := r.dense(out)
			r.close(want.F, got, 1e-6)
			for i, v := range got {
				require.Equal(t, want.F[i] == 0, v == 0)
			}
		}
	}
}

// child is the key of an invocation in a frame, as package callkey defines it.
func child(parent uint32, slot int32, elem int) uint32 {
	x := uint64(parent)<<32 | uint64(uint32(slot))
	x += (uint64(elem) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return uint32((x ^ x>>31) >> 32)
}

func TestElementKeys(t *testing.T) {
	require.Equal(t, uint32(0xe220a839), child(0, 0, 0), "the first number of SplitMix64 from state 0")
	r := setUp(t, "")
	const rows = 45
	for _, d := range r.divisions(rows) {
		keys, want := make([]uint32, d.runs.N), make([]int32, rows)
		for i, run := range d.want {
			keys[i] = 0xdeadbeef * uint32(i+1)
			for j := run.first; j < run.end; j++ {
				want[j] = int32(child(keys[i], -1, j-run.first))
			}
		}
		out := put(r, make([]uint32, rows))
		require.NoError(t, r.set.ElementKeys(r.stream, out, put(r, keys), rows, d.runs))
		require.Equal(t, want, r.words(out))
	}
}

func TestDropoutRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	m := kernels.Matrix{Buffer: b, Rows: 3, Columns: 4}
	for message, err := range map[string]error{
		"rate 1 with seed 1":              r.set.Dropout(r.stream, m, m, kernels.Dropout{Rate: 1, Seed: 1, Keys: b}),
		"rate 0 with seed 0":              r.set.Dropout(r.stream, m, m, kernels.Dropout{Keys: b}),
		"Keys has 8 bytes, want 3 words":  r.set.Dropout(r.stream, m, m, kernels.Dropout{Seed: 1, Keys: b.Slice(0, 8)}),
		"out has 48 bytes, want 13 words": r.set.ElementKeys(r.stream, b, b, 13, kernels.Runs{N: 1}),
		"keys has 8 bytes, want 3 words":  r.set.ElementKeys(r.stream, b, b.Slice(0, 8), 12, kernels.Runs{N: 3}),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
