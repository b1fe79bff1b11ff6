package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// activationKernels are the transcendental functions, relu, and what their
// gradients need.
func activationKernels(c coefficients) []vectorKernel {
	unary := func(name, loop string, f func(v *vector, x ymm) ymm) vectorKernel {
		return vectorKernel{
			name: name, slices: []string{"dst", "x"}, loop: loop,
			body: func(v *vector) { v.store("dst", f(v, v.load("x"))) },
		}
	}
	relu := unary("relu", "dst[i] = x[i]\nif x[i] < 0 {\n\tdst[i] = 0\n}", func(v *vector, x ymm) ymm {
		zero := v.YMM()
		v.VXORPS(zero, zero, zero)
		v.VMAXPS(x, zero, x) // x second: NaN and -0 pass
		return x
	})
	relu.unroll = 4
	kernels := []vectorKernel{
		unary("exp", "dst[i] = exp(x[i])", c.expLanes),
		unary("log", "dst[i] = log(x[i])", c.logLanes),
		unary("sigmoid", "dst[i] = 1 / (1 + exp(-x[i]))", c.sigmoidLanes),
		unary("tanh", "dst[i] = tanh(x[i])", c.tanhLanes),
		relu,
	}
	kernels = append(kernels, gradientKernels("Sigmoid", "g[i] * (y[i] * (1 - y[i]))", func(v *vector, g, y ymm) ymm {
		d := v.YMM()
		v.VMOVUPS(v.splat(1), d)
		v.VSUBPS(y, d, d)
		v.VMULPS(y, d, d)
		v.VMULPS(g, d, d)
		return d
	})...)
	kernels = append(kernels, gradientKernels("Tanh", "g[i] * (1 - y[i]*y[i])", func(v *vector, g, y ymm) ymm {
		d := v.YMM()
		v.VMOVUPS(v.splat(1), d)
		v.VFNMADD231PS(y, y, d)
		v.VMULPS(g, d, d)
		return d
	})...)
	return append(kernels, gradientKernels("Relu", "g[i] * (y[i] > 0)", func(v *vector, g, y ymm) ymm {
		zero, d := v.YMM(), v.YMM()
		v.VXORPS(zero, zero, zero)
		v.VCMPPS(greaterThan, zero, y, d)
		v.VANDPS(g, d, d)
		return d
	})...)
}

// gradientKernels are a kernel that writes a gradient and one that adds it.
func gradientKernels(name, expr string, f func(v *vector, g, y ymm) ymm) []vectorKernel {
	slices := []string{"dst", "g", "y"}
	return []vectorKernel{
		{
			name: "d" + name, slices: slices, loop: "dst[i] = " + expr, unroll: 2,
			body: func(v *vector) { v.store("dst", f(v, v.load("g"), v.load("y"))) },
		},
		{
			name: "addD" + name, slices: slices, loop: "dst[i] += " + expr, unroll: 2,
			body: func(v *vector) {
				d := f(v, v.load("g"), v.load("y"))
				v.VADDPS(v.load("dst"), d, d)
				v.store("dst", d)
			},
		},
	}
}

// polynomial is Horner's scheme, a chain of fused multiply-adds.
func (b *builder) polynomial(x ymm, coeffs []float64) ymm {
	y := b.YMM()
	last := len(coeffs) - 1
	b.VMOVUPS(b.splat(float32(coeffs[last])), y)
	for i := last - 1; i >= 0; i-- {
		b.VFMADD213PS(b.splat(float32(coeffs[i])), x, y)
	}
	return y
}

// Ln 2 in two parts. The first has so few bits that its products with the
// integers of the reductions are exact.
var (
	ln2Hi = float32(math.Round(math.Ln2*(1<<15)) / (1 << 15))
	ln2Lo = float32(math.Ln2 - float64(ln2Hi))
)

// clampBelow and clampAbove keep NaN: the instructions return their second
// source, here x, when a source is NaN.
func (b *builder) clampBelow(x ymm, low float32) {
	bound := b.YMM()
	b.VMOVUPS(b.splat(low), bound)
	b.VMAXPS(x, bound, x)
}

func (b *builder) clampAbove(x ymm, high float32) {
	bound := b.YMM()
	b.VMOVUPS(b.splat(high), bound)
	b.VMINPS(x, bound, x)
}

// reduce splits x into n·ln 2 + r with |r| <= ln 2 / 2 and returns n as integer
// lanes and as floats; x becomes r.
func (b *builder) reduce(x ymm) (n, nf ymm) {
	n, nf = b.YMM(), b.YMM()
	b.VMULPS(b.splat(math.Log2E), x, nf)
	b.VCVTPS2DQ(nf, n)
	b.VCVTDQ2PS(n, nf)
	b.VFNMADD231PS(b.splat(ln2Hi), nf, x)
	b.VFNMADD231PS(b.splat(ln2Lo), nf, x)
	return n, nf
}

// Beyond these bounds exp is 0 or +Inf in float32; they keep its integers small.
const (
	expLow  = -104
	expHigh = 89
)

func (c coefficients) expLanes(v *vector, x ymm) ymm {
	v.clampAbove(x, expHigh)
	return c.expBelow(v.builder, x)
}

// expBelow is exp of lanes not above expHigh; x is destroyed. Results may be
// denormal, so the power of two is applied in two factors, each of which is a
// normal number: the first by adding to the exponent, the second by an
// ordinary multiplication that rounds once. A NaN has the integer -2³¹, whose
// halves leave it alone.
func (c coefficients) expBelow(b *builder, x ymm) ymm {
	b.clampBelow(x, expLow)
	n, _ := b.reduce(x)
	y := b.polynomial(x, c.exp)
	b.VMULPS(x, y, y)
	b.VFMADD213PS(x, x, y)
	b.VADDPS(b.splat(1), y, y)

	half := b.YMM()
	b.VPSRAD(operand.Imm(1), n, half)
	b.VPSUBD(half, n, n)
	b.VPSLLD(operand.Imm(23), half, half)
	b.VPADDD(half, y, y)
	b.VPSLLD(operand.Imm(23), n, n)
	b.VPADDD(b.splat(1), n, n)
	b.VMULPS(n, y, y)
	return y
}

// sigmoidLanes is 1/(1+e) for x >= 0 and e/(1+e) below, with e = exp(-|x|),
// so that it neither overflows nor cancels.
func (c coefficients) sigmoidLanes(v *vector, x ymm) ymm {
	z := v.YMM()
	v.VORPS(v.splatBits(oppositeLanes), x, z)
	e := c.expBelow(v.builder, z)
	one := v.YMM()
	v.VMOVUPS(v.splat(1), one)
	num := v.YMM()
	v.VBLENDVPS(x, e, one, num)
	v.VADDPS(one, e, e)
	v.VDIVPS(e, num, num)
	return num
}

// tanhHigh is 2x from where tanh(x) is 1 in float32, with room to spare.
const tanhHigh = 40

// tanhLanes is (e-1)/(e+1) with e = exp(2|x|), where e-1 is computed without
// cancellation: it is the polynomial itself for small x.
func (c coefficients) tanhLanes(v *vector, x ymm) ymm {
	sign, z := v.YMM(), v.YMM()
	v.VANDPS(v.splatBits(oppositeLanes), x, sign)
	v.VANDPS(v.splatBits(magnitudeLanes), x, z)
	v.VADDPS(z, z, z)
	v.clampAbove(z, tanhHigh)
	n, _ := v.reduce(z)
	y := v.polynomial(z, c.expm1)
	v.VMULPS(z, y, y)
	v.VFMADD213PS(z, z, y)

	scale, less := v.YMM(), v.YMM()
	v.VPSLLD(operand.Imm(23), n, scale)
	v.VPADDD(v.splat(1), scale, scale)
	v.VSUBPS(v.splat(1), scale, less)
	v.VFMADD213PS(less, scale, y) // expm1 = scale·y + (scale-1)
	den := v.YMM()
	v.VADDPS(v.splat(2), y, den)
	v.VDIVPS(den, y, y)
	v.VORPS(sign, y, y)
	return y
}

// logLanes splits x into 2ᵉ·(1+f) with 1+f in [√½, √2) and adds e·ln 2 to
// log(1+f). Denormal numbers are scaled up first.
func (c coefficients) logLanes(v *vector, x ymm) ymm {
	const scaleBits = 25
	tiny, m, e := v.YMM(), v.YMM(), v.YMM()
	v.VCMPPS(lessThan, v.splat(0x1p-126), x, tiny)
	v.VMULPS(v.splat(1<<scaleBits), x, m)
	v.VBLENDVPS(tiny, m, x, m)
	root := math.Float32bits(math.Sqrt2 / 2)
	v.VPSUBD(v.splatBits(root), m, e)
	v.VPSRAD(operand.Imm(23), e, e)
	back := v.YMM()
	v.VPSLLD(operand.Imm(23), e, back)
	v.VPSUBD(back, m, m)
	v.VCVTDQ2PS(e, e)
	v.VANDPS(v.splat(scaleBits), tiny, tiny)
	v.VSUBPS(tiny, e, e)

	f := v.YMM()
	v.VSUBPS(v.splat(1), m, f)
	p := v.polynomial(f, c.log)
	v.VFMADD213PS(v.splat(-0.5), f, p) // p·f - ½
	square := v.YMM()
	v.VMULPS(f, f, square)
	v.VMULPS(square, p, p)
	v.VFMADD231PS(v.splat(ln2Lo), e, p)
	v.VADDPS(f, p, p)
	v.VFMADD231PS(v.splat(ln2Hi), e, p)
	return logSpecial(v, x, p)
}

// logSpecial replaces y = log(x) where the above does not hold: -Inf at zero,
// NaN below, and x itself for +Inf and NaN.
func logSpecial(v *vector, x, y ymm) ymm {
	test, value := v.YMM(), v.YMM()
	v.VXORPS(value, value, value)
	v.VCMPPS(equal, value, x, test)
	zero := v.YMM()
	v.VMOVUPS(v.splat(float32(math.Inf(-1))), zero)
	v.VBLENDVPS(test, zero, y, y)
	v.VCMPPS(lessThan, value, x, test)
	v.VORPS(test, y, y)
	v.VCMPPS(notLessThan, v.splat(float32(math.Inf(1))), x, test)
	v.VBLENDVPS(test, x, y, y)
	return y
}
