package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// packedWithSource returns a matrix with the row-major elements that it was packed from.
func packedWithSource(rng *rand.Rand, k, n int) (*Packed, []float32) {
	p, m := NewPacked(k, n), make([]float32, k*n)
	for i := range m {
		m[i] = rng.Float32() - 0.5
	}
	Pack(p, m, n, false)
	return p, m
}

func TestJoinColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, widths := range [][]int{{1}, {16, 16}, {5, 3, 9}, {15, 2, 40}, {150, 150, 150, 150}, {1, 1, 1, 31, 17}} {
		k, total := 1+rng.IntN(40), 0
		for _, n := range widths {
			total += n
		}
		dst, want := NewPacked(k, total), make([]float32, k*total)
		var parts []*Packed
		at := 0
		for _, n := range widths {
			p, m := packedWithSource(rng, k, n)
			for i := range k {
				copy(want[i*total+at:], m[i*n:(i+1)*n])
			}
			parts = append(parts, p)
			at += n
		}
		JoinColumns(dst, parts...)
		expected := NewPacked(k, total)
		Pack(expected, want, total, false)
		require.Equal(t, expected.Data, dst.Data, "%v", widths) // padding included
		require.Panics(t, func() { JoinColumns(dst, parts[1:]...) })
		require.Panics(t, func() { JoinColumns(dst, append(parts, parts[0])...) })
	}
}

func TestStackRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, heights := range [][]int{{1}, {16, 16}, {5, 3, 9}, {150, 150}} {
		n, total := 1+rng.IntN(40), 0
		var parts []*Packed
		var want []float32
		for _, k := range heights {
			p, m := packedWithSource(rng, k, n)
			parts, want = append(parts, p), append(want, m...)
			total += k
		}
		dst, expected := NewPacked(total, n), NewPacked(total, n)
		StackRows(dst, parts...)
		Pack(expected, want, n, false)
		require.Equal(t, expected.Data, dst.Data, "%v", heights)
		require.Panics(t, func() { StackRows(dst, parts[1:]...) })
	}
}
