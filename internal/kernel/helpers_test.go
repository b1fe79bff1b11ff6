package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// rng is seeded per call site so that tests do not depend on their order.
func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func randomSlice(r *rand.Rand, n int) []float32 {
	x := Aligned(n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func randomMatrix(rows, cols int) []float32 {
	return randomSlice(rng(uint64(rows*1000+cols)), rows*cols)
}

func randomPacked(k, n int) *Packed {
	p := NewPacked(k, n)
	Pack(p, randomMatrix(k, n), n, false)
	return p
}

// canary is a value that no kernel computes. It is not a NaN of arithmetic.
var canary = math.Float32frombits(0xffdeadbe)

const margin = 24

// guarded is a slice between two margins of canaries. off shifts its alignment.
type guarded struct {
	buf  []float32
	data []float32
}

func guard(n, off int) guarded {
	buf := Aligned(n + 2*margin + off)
	for i := range buf {
		buf[i] = canary
	}
	start := margin + off
	return guarded{buf: buf, data: buf[start : start+n : start+n]}
}

// intact fails the test if anything outside data was written.
func (g guarded) intact(t testing.TB) {
	t.Helper()
	start := int(uintptr(unsafe.Pointer(unsafe.SliceData(g.data)))-uintptr(unsafe.Pointer(&g.buf[0]))) / 4
	for i, v := range g.buf {
		if outside := i < start || i >= start+len(g.data); outside && math.Float32bits(v) != math.Float32bits(canary) {
			t.Fatalf("write at %d outside [0, %d)", i-start, len(g.data))
		}
	}
}

// bits returns the bit patterns of x, so that NaN equals itself and +0 is not -0.
func bits(x []float32) []uint32 {
	b := make([]uint32, len(x))
	for i, v := range x {
		b[i] = math.Float32bits(v)
	}
	return b
}

// eachImplementation runs f with the assembly, if there is any, and in pure Go.
func eachImplementation(t *testing.T, f func(t *testing.T)) {
	t.Run(Features(), f)
	if Features() != "go" {
		restore := forcePureGo()
		defer restore()
		t.Run("go", f)
	}
}
