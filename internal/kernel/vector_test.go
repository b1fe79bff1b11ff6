package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ulpError is the distance of got from want in units in the last place of a
// float32 of the size of want. An overflow counts as 2¹²⁸, the number after the
// largest.
func ulpError(got float32, want float64) float64 {
	g := float64(got)
	switch {
	case g != g || want != want:
		if g != g && want != want {
			return 0
		}
		return math.Inf(1)
	case g == want || g == float64(float32(want)) && math.IsInf(g, 0):
		return 0
	case math.IsInf(want, 0):
		return math.Inf(1)
	case math.IsInf(g, 0):
		g = math.Copysign(0x1p128, g)
	}
	return math.Abs(g-want) / ulpOf(want)
}

func ulpOf(x float64) float64 {
	exp := max(-126, math.Ilogb(x))
	return math.Ldexp(1, exp-23)
}

// sizes are all small lengths and some that need several iterations or calls.
func sizes() []int {
	var n []int
	for i := range 70 {
		n = append(n, i)
	}
	return append(n, 127, 128, 1000, 8192, 8193, 20001)
}

func (tc vectorCase) inputs(n int) (dst, a, b, c []float32) {
	r := rng(uint64(n))
	dst, a, b, c = randomSlice(r, n), randomSlice(r, n), randomSlice(r, n), randomSlice(r, n)
	if tc.positive {
		for i := range a {
			a[i] = float32(math.Exp(float64(4 * a[i])))
		}
	}
	return dst, a, b, c
}

func TestVectorsAgainstFloat64(t *testing.T) {
	for _, tc := range vectorCases() {
		t.Run(tc.name, func(t *testing.T) {
			eachImplementation(t, func(t *testing.T) {
				for _, n := range sizes() {
					start, a, b, c := tc.inputs(n)
					dst := guard(n, n%8)
					copy(dst.data, start)
					tc.run(dst.data, a, b, c)
					dst.intact(t)
					for i, got := range dst.data {
						want := tc.want(float64(start[i]), float64(a[i]), float64(b[i]), float64(c[i]))
						off := math.Abs(float64(got) - want)
						if ulps := ulpError(got, want); !(ulps <= tc.ulps) || math.IsInf(tc.ulps, 1) && off > absoluteError {
							t.Fatalf("n=%d [%d]: got %g, want %g (%.2f ulp)", n, i, got, want, ulps)
						}
					}
				}
			})
		})
	}
}

// TestVectorsArePositionInvariant checks that an element has the same bits in
// any slice, at any place and alignment.
func TestVectorsArePositionInvariant(t *testing.T) {
	for _, tc := range vectorCases() {
		t.Run(tc.name, func(t *testing.T) {
			eachImplementation(t, func(t *testing.T) {
				const n = 203
				whole, a, b, c := tc.inputs(n)
				start := append([]float32(nil), whole...)
				tc.run(whole, a, b, c)
				r := rng(9)
				for range 300 {
					lo := r.IntN(n)
					hi := lo + 1 + r.IntN(min(n-lo, 40))
					part := guard(hi-lo, r.IntN(8))
					copy(part.data, start[lo:hi])
					tc.run(part.data, a[lo:hi], b[lo:hi], c[lo:hi])
					require.Equal(t, bits(whole[lo:hi]), bits(part.data), "[%d, %d)", lo, hi)
				}
			})
		})
	}
}

// TestVectorsInPlace checks that dst may be the same slice as each operand.
func TestVectorsInPlace(t *testing.T) {
	for _, tc := range vectorCases() {
		t.Run(tc.name, func(t *testing.T) {
			eachImplementation(t, func(t *testing.T) {
				for _, n := range []int{1, 7, 8, 45, 100} {
					for shared := range tc.operands {
						_, a, b, c := tc.inputs(n)
						ops := [][]float32{a, b, c}
						want := append([]float32(nil), ops[shared]...)
						tc.run(want, a, b, c)
						tc.run(ops[shared], a, b, c)
						require.Equal(t, bits(want), bits(ops[shared]), "n=%d operand %d", n, shared)
					}
				}
			})
		})
	}
}

func TestVectorsPanicOnUnequalLengths(t *testing.T) {
	for _, tc := range vectorCases() {
		t.Run(tc.name, func(t *testing.T) {
			for short := range tc.operands {
				ops := [][]float32{make([]float32, 9), make([]float32, 9), make([]float32, 9)}
				ops[short] = ops[short][:8]
				if tc.name[0] >= 'a' {
					t.Skip("not exported: the caller has checked")
				}
				assert.Panics(t, func() { tc.run(make([]float32, 9), ops[0], ops[1], ops[2]) })
			}
		})
	}
}

// special are the values at which functions tend to be wrong.
func special() []float32 {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	return []float32{
		0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, nan, -nan,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, -0x1p-126, 0x1.fffffcp-127,
		math.MaxFloat32, -math.MaxFloat32, 88.72283, 88.72284, 89, 104, -87.33654, -88, -103.97, -103.98, -104, -200, 1e-10, -1e-10,
		0.3465735, 0.3465736, 0.7071067, 0.7071068, 1.4142135, 1.4142137, 9.01, 9.02, 20, -20, 16777216,
	}
}

// TestVectorsAtSpecialValues checks NaN, infinities, zeros of both signs,
// denormal numbers and the ends of ranges, for all pairs of them.
func TestVectorsAtSpecialValues(t *testing.T) {
	var a, b []float32
	for _, x := range special() {
		for _, y := range special() {
			a, b = append(a, x), append(b, y)
		}
	}
	c := make([]float32, len(a))
	for _, tc := range vectorCases() {
		if tc.ulps > 3 || tc.name == "normalize" || tc.name == "DSigmoid" {
			continue // overflow of intermediate results differs from float64
		}
		t.Run(tc.name, func(t *testing.T) {
			eachImplementation(t, func(t *testing.T) {
				dst := make([]float32, len(a))
				tc.run(dst, a, b, c)
				for i, got := range dst {
					want := tc.want(0, float64(a[i]), float64(b[i]), 0)
					if tc.name == "DRelu" || tc.name == "AddDRelu" {
						want = selected(a[i], b[i])
					}
					switch w := float32(want); {
					case w != w:
						assert.True(t, got != got, "f(%g, %g) = %g, want NaN", a[i], b[i], got)
					case math.IsInf(float64(w), 0):
						assert.Equal(t, w, got, "f(%g, %g)", a[i], b[i])
					default:
						assert.LessOrEqual(t, ulpError(got, want), max(tc.ulps, 0.5), "f(%g, %g) = %g, want %g", a[i], b[i], got, want)
					}
				}
			})
		})
	}
}

// selected is g where y > 0: unlike a product it does not make NaN of Inf.
func selected(g, y float32) float64 {
	if y > 0 {
		return float64(g)
	}
	return 0
}

func TestSignsOfZero(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	eachImplementation(t, func(t *testing.T) {
		dst := make([]float32, 2)
		for name, tc := range map[string]struct {
			run  func()
			want float32
		}{
			"Max":     {func() { Max(dst, []float32{0, minus}, []float32{minus, 0}) }, 0},
			"Min":     {func() { Min(dst, []float32{0, minus}, []float32{minus, 0}) }, minus},
			"Tanh":    {func() { Tanh(dst, []float32{minus, minus}) }, minus},
			"Relu":    {func() { Relu(dst, []float32{minus, minus}) }, minus},
			"Log":     {func() { Log(dst, []float32{1, 1}) }, 0},
			"Exp":     {func() { Exp(dst, []float32{float32(math.Inf(-1)), -1000}) }, 0},
			"Sigmoid": {func() { Sigmoid(dst, []float32{float32(math.Inf(-1)), -1000}) }, 0},
		} {
			tc.run()
			assert.Equal(t, bits([]float32{tc.want, tc.want}), bits(dst), name)
		}
	})
}

// TestTranscendentalErrors walks the whole range of float32 bit patterns in
// prime steps and bounds the error everywhere.
func TestTranscendentalErrors(t *testing.T) {
	stride := uint64(1499)
	if raceEnabled || testing.Short() {
		stride = 99991
	}
	for _, tc := range vectorCases() {
		if tc.ulps != 3 || tc.operands != 1 {
			continue
		}
		t.Run(tc.name, func(t *testing.T) {
			eachImplementation(t, func(t *testing.T) {
				const block = 4096
				x, y := make([]float32, 0, block), make([]float32, block)
				worst, where := 0.0, float32(0)
				for p := uint64(0); p < 1<<32; p += stride {
					x = append(x, math.Float32frombits(uint32(p)))
					if len(x) < block && p+stride < 1<<32 {
						continue
					}
					tc.run(y[:len(x)], x, nil, nil)
					for i, v := range x {
						want := tc.want(0, float64(v), 0, 0)
						if e := ulpError(y[i], want); !(e <= worst) {
							worst, where = e, v
						}
					}
					x = x[:0]
				}
				t.Logf("largest error %.3f ulp, at %g", worst, where)
				assert.LessOrEqual(t, worst, 3.0, fmt.Sprintf("at %g", where))
			})
		})
	}
}
