package kernel

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAligned(t *testing.T) {
	assert.Empty(t, Aligned(0))
	for n := 1; n < 300; n++ {
		x := Aligned(n)
		require.Len(t, x, n)
		require.Zero(t, uintptr(unsafe.Pointer(&x[0]))%64)
		require.Equal(t, make([]float32, n), x)
	}
}

// packedCases are all small shapes and some with whole and partial blocks.
func packedCases(f func(k, n int)) {
	for k := range 40 {
		for n := range 40 {
			f(k, n)
		}
	}
	for _, s := range [][2]int{{64, 64}, {100, 33}, {33, 100}, {300, 17}} {
		f(s[0], s[1])
	}
}

func transposed(x []float32, rows, cols int) []float32 {
	y := make([]float32, len(x))
	for i := range rows {
		for j := range cols {
			y[j*rows+i] = x[i*cols+j]
		}
	}
	return y
}

func TestPackLayout(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		packedCases(func(k, n int) {
			b := randomMatrix(k, n)
			for _, trans := range []bool{false, true} {
				src, ld := b, n
				if trans {
					src, ld = transposed(b, k, n), k
				}
				p := NewPacked(k, n)
				for i := range p.Data {
					p.Data[i] = canary
				}
				Pack(p, src, ld, trans)
				for i := range k {
					for j := range n {
						if got := p.Data[(j/16*k+i)*16+j%16]; got != b[i*n+j] {
							t.Fatalf("k=%d n=%d trans=%t [%d,%d]: got %g, want %g", k, n, trans, i, j, got, b[i*n+j])
						}
					}
				}
				zeroPadding(t, p)
			}
		})
	})
}

func TestUnpackInvertsPack(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		packedCases(func(k, n int) {
			b := randomMatrix(k, n)
			p := NewPacked(k, n)
			Pack(p, b, n, false)
			for _, trans := range []bool{false, true} {
				want, rows, cols := b, k, n
				if trans {
					want, rows, cols = transposed(b, k, n), n, k
				}
				ld := cols + 3
				box := guard(max(0, (rows-1)*ld+cols), 1)
				for i := range box.data {
					box.data[i] = canary
				}
				p.Unpack(box.data, ld, trans)
				box.intact(t)
				for i := range box.data {
					row, col := i/ld, i%ld
					w := canary
					if col < cols {
						w = want[row*cols+col]
					}
					if math.Float32bits(w) != math.Float32bits(box.data[i]) {
						t.Fatalf("k=%d n=%d trans=%t [%d,%d]: got %g, want %g", k, n, trans, row, col, box.data[i], w)
					}
				}
			}
		})
	})
}

func TestTransposePacked(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		packedCases(func(k, n int) {
			src, want := NewPacked(k, n), NewPacked(n, k)
			b := randomMatrix(k, n)
			Pack(src, b, n, false)
			Pack(want, b, n, true)
			got := NewPacked(n, k)
			box := guard(len(got.Data), 0)
			got.Data = box.data
			TransposePacked(got, src)
			box.intact(t)
			require.Equal(t, bits(want.Data), bits(got.Data), "k=%d n=%d", k, n)
		})
	})
	assert.Panics(t, func() { TransposePacked(NewPacked(3, 4), NewPacked(3, 4)) })
}
