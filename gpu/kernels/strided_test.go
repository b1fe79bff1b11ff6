package kernels_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// places calls f with the places of a layout in the result and in the source.
func places(l kernels.Layout, f func(out, from int)) {
	for a := range l[0].Extent {
		for b := range l[1].Extent {
			for c := range l[2].Extent {
				for d := range l[3].Extent {
					f(a*l[0].Out+b*l[1].Out+c*l[2].Out+d*l[3].Out, a*l[0].From+b*l[1].From+c*l[2].From+d*l[3].From)
				}
			}
		}
	}
}

var layouts = map[string]kernels.Layout{
	"everything":    {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {700, 1, 1}},
	"nothing":       {{3, 1, 1}, {0, 1, 1}, {2, 1, 1}, {5, 1, 1}},
	"transposition": {{1, 0, 0}, {1, 0, 0}, {33, 1, 20}, {20, 33, 1}},
	"broadcast":     {{5, 60, 0}, {3, 20, 1}, {20, 1, 0}, {1, 0, 0}},
	"a part":        {{2, 200, 100}, {3, 50, 30}, {5, 7, 5}, {4, 1, 1}},
}

func TestCopyStrided(t *testing.T) {
	r := setUp(t, "")
	for name, l := range layouts {
		want, from := random(1, 700), random(2, 700)
		copied, added := put(r, want), put(r, want)
		sums := slices.Clone(want)
		require.NoError(t, r.set.CopyStrided(r.stream, copied, put(r, from), l))
		require.NoError(t, r.set.AddStrided(r.stream, added, put(r, from), l))
		places(l, func(out, in int) {
			want[out] = from[in]
			sums[out] += from[in]
		})
		require.Equal(t, want, r.get(copied), name)
		require.Equal(t, sums, r.get(added), name)
	}
}

// A concatenation of [3 5] and [3 2] along the last axis.
func TestConcatenation(t *testing.T) {
	r := setUp(t, "")
	a, b := random(1, 15), random(2, 6)
	out := put(r, make([]float32, 21))
	require.NoError(t, r.set.CopyStrided(r.stream, out, put(r, a), kernels.Layout{{3, 7, 5}, {5, 1, 1}}))
	require.NoError(t, r.set.CopyStrided(r.stream, out.Slice(20, out.Size()), put(r, b), kernels.Layout{{3, 7, 2}, {2, 1, 1}}))
	var want []float32
	for row := range 3 {
		want = append(append(want, a[5*row:][:5]...), b[2*row:][:2]...)
	}
	require.Equal(t, want, r.get(out))
}

func TestCopyStridedRefusesLayouts(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	for message, l := range map[string]kernels.Layout{
		"out has 48 bytes, the layout reaches word 12":   {{3, 6, 1}, {1, 1, 1}},
		"from has 48 bytes, the layout reaches word 14":  {{3, 1, 7}},
		"several elements at one place":                  {{2, 0, 1}},
		"the layout [{Extent:-1":                         {{-1, 1, 1}},
		"the layout [{Extent:1 Out:-1":                   {{1, -1, 1}},
		"the layout [{Extent:65536 Out:1 From:1}":        {{1 << 16, 1, 1}, {1 << 16, 1, 1}},
		"from has 48 bytes, the layout reaches word 429": {{2, 1, 1<<31 - 1}, {2, 2, 1<<31 - 1}},
	} {
		err := r.set.CopyStrided(r.stream, b, b, l)
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
