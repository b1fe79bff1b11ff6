package emulator_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
)

// towardZeroPTX has one kernel: out[i] = a[i] b[i] + c[i], rounded toward zero, by
// one block of threads.
const towardZeroPTX = `
.version 7.8
.target sm_80
.address_size 64
.visible .entry multiply_add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c)
{
	.reg .b32 %r<2>;
	.reg .f32 %f<5>;
	.reg .b64 %rd<10>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [a];
	ld.param.u64 %rd3, [b];
	ld.param.u64 %rd4, [c];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd5, %r1, 4;
	add.s64 %rd6, %rd1, %rd5;
	add.s64 %rd7, %rd2, %rd5;
	add.s64 %rd8, %rd3, %rd5;
	add.s64 %rd9, %rd4, %rd5;
	ld.global.f32 %f1, [%rd7];
	ld.global.f32 %f2, [%rd8];
	ld.global.f32 %f3, [%rd9];
	fma.rz.f32 %f4, %f1, %f2, %f3;
	st.global.f32 [%rd6], %f4;
	ret;
}
`

func TestRoundingTowardZero(t *testing.T) {
	limit := float32(math.MaxFloat32)
	tiny := float32(math.SmallestNonzeroFloat32)
	a := []float32{1, -1, limit, -limit, 3, 1, 0, tiny, -tiny, 3 * tiny, float32(math.Inf(1)), 1, 1 + 0x1p-23, 1 + 0x1p-23}
	b := []float32{1, 1, 2, 2, 1, 1, -1, 0.5, 0.5, 0.75, 1, 1, 1 + 0x1p-23, -1 - 0x1p-23}
	c := []float32{tiny, -tiny, 0, 0, -3, -tiny, 0, 0, 0, 0, 0, 0x1p-24, 0, 0}
	random := rand.New(rand.NewPCG(1, 2))
	for len(a) < 1024 {
		x := math.Float32frombits(random.Uint32())
		y := math.Float32frombits(random.Uint32())
		if x-x != 0 || y-y != 0 { // infinities and numbers that are none
			continue
		}
		// A third number near the negative product of the others makes the sum lose bits.
		z := -x*y + float32(random.NormFloat64())*0x1p-20*x*y
		if z-z == 0 {
			a, b, c = append(a, x), append(b, y), append(c, z)
		}
	}
	r := load(t, features, "")
	m, err := r.stream.Device().Load(towardZeroPTX)
	require.NoError(t, err)
	r.module = m
	out := put(r, make([]float32, len(a)))
	r.launch("multiply_add", gpu.Grid{Blocks: gpu.Line(1), Threads: gpu.Line(len(a))},
		gpu.Out(out), gpu.In(put(r, a)), gpu.In(put(r, b)), gpu.In(put(r, c)))
	for i, got := range get(r, out, make([]float32, len(a))) {
		want := towardZero(a[i], b[i], c[i])
		require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%d: %g %g + %g: want %g, got %g", i, a[i], b[i], c[i], want, got)
	}
}

// towardZero computes exactly and cuts what a float32 has no room for.
func towardZero(a, b, c float32) float32 {
	if math.IsInf(float64(a), 0) {
		return a
	}
	x, y, z := big.NewFloat(float64(a)), big.NewFloat(float64(b)), big.NewFloat(float64(c))
	exact := new(big.Float).SetPrec(2000).Mul(x, y)
	exact.Add(exact, z)
	nearest, _ := exact.Float32()
	exact.Abs(exact)
	magnitude := math.Float32frombits(math.Float32bits(nearest) &^ (1 << 31))
	if math.IsInf(float64(magnitude), 0) || big.NewFloat(float64(magnitude)).Cmp(exact) > 0 {
		magnitude = math.Nextafter32(magnitude, 0)
	}
	return float32(math.Copysign(float64(magnitude), float64(nearest)))
}
