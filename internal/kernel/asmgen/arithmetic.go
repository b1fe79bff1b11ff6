package main

import "github.com/mmcloughlin/avo/operand"

// arithmeticKernels are the kernels of a few instructions per vector. They are
// unrolled because the loop would cost as much as the work.
func arithmeticKernels() []vectorKernel {
	binary := func(name, op string, f func(v *vector, a, b, dst ymm)) vectorKernel {
		return vectorKernel{
			name: name, slices: []string{"dst", "a", "b"}, loop: "dst[i] = " + op, unroll: 4,
			body: func(v *vector) {
				dst := v.YMM()
				f(v, v.load("a"), v.load("b"), dst)
				v.store("dst", dst)
			},
		}
	}
	return []vectorKernel{
		binary("add", "a[i] + b[i]", func(v *vector, a, b, dst ymm) { v.VADDPS(b, a, dst) }),
		binary("sub", "a[i] - b[i]", func(v *vector, a, b, dst ymm) { v.VSUBPS(b, a, dst) }),
		binary("mul", "a[i] * b[i]", func(v *vector, a, b, dst ymm) { v.VMULPS(b, a, dst) }),
		binary("div", "a[i] / b[i]", func(v *vector, a, b, dst ymm) { v.VDIVPS(b, a, dst) }),
		binary("max", "max(a[i], b[i])", maxLanes),
		binary("min", "min(a[i], b[i])", minLanes),
		{
			name: "scale", slices: []string{"dst", "x"}, scalars: []string{"s"}, loop: "dst[i] = s * x[i]", unroll: 4,
			body: func(v *vector) {
				x := v.load("x")
				v.VMULPS(x, v.scalar["s"], x)
				v.store("dst", x)
			},
		},
		{
			name: "addScalar", slices: []string{"dst", "x"}, scalars: []string{"s"}, loop: "dst[i] = x[i] + s", unroll: 4,
			body: func(v *vector) {
				x := v.load("x")
				v.VADDPS(v.scalar["s"], x, x)
				v.store("dst", x)
			},
		},
		{
			name: "axpy", slices: []string{"dst", "x"}, scalars: []string{"s"}, loop: "dst[i] = fma(s, x[i], dst[i])", unroll: 4,
			body: func(v *vector) {
				dst := v.load("dst")
				v.VFMADD231PS(v.load("x"), v.scalar["s"], dst)
				v.store("dst", dst)
			},
		},
		{
			name: "addTo", slices: []string{"dst", "x"}, loop: "dst[i] += x[i]", unroll: 4,
			body: func(v *vector) {
				dst := v.load("dst")
				v.VADDPS(v.load("x"), dst, dst)
				v.store("dst", dst)
			},
		},
		{
			name: "mulAdd", slices: []string{"dst", "a", "b"}, loop: "dst[i] = fma(a[i], b[i], dst[i])", unroll: 4,
			body: func(v *vector) {
				dst := v.load("dst")
				v.VFMADD231PS(v.load("a"), v.load("b"), dst)
				v.store("dst", dst)
			},
		},
		{
			name: "scaleShift", slices: []string{"dst", "x", "scale", "shift"}, loop: "dst[i] = fma(x[i], scale[i], shift[i])", unroll: 4,
			body: func(v *vector) {
				dst := v.load("shift")
				v.VFMADD231PS(v.load("x"), v.load("scale"), dst)
				v.store("dst", dst)
			},
		},
		{
			name: "normalize", slices: []string{"dst", "x"}, scalars: []string{"mean", "scale"},
			loop: "dst[i] = (x[i] - mean) * scale", unroll: 4,
			body: func(v *vector) {
				x := v.load("x")
				v.VSUBPS(v.scalar["mean"], x, x)
				v.VMULPS(v.scalar["scale"], x, x)
				v.store("dst", x)
			},
		},
		{
			name: "subTwo", slices: []string{"dst", "x"}, scalars: []string{"s", "t"},
			loop: "dst[i] = x[i] - s - t", unroll: 4,
			body: func(v *vector) {
				x := v.load("x")
				v.VSUBPS(v.scalar["s"], x, x)
				v.VSUBPS(v.scalar["t"], x, x)
				v.store("dst", x)
			},
		},
	}
}

// Predicates of VCMPPS. All are quiet.
const (
	unordered      = operand.U8(0x03)
	lessThan       = operand.U8(0x11)
	notLessThan    = operand.U8(0x15)
	equal          = operand.U8(0x00)
	greaterThan    = operand.U8(0x1e)
	oppositeLanes  = 0x80000000
	magnitudeLanes = 0x7fffffff
)

// maxLanes and minLanes follow Go's max and min. The instruction returns its
// second source for a NaN on either side and for two zeros, so it is asked
// both ways: the answers then differ only for zeros, whose signs are joined,
// and for NaN, which is restored.
func maxLanes(v *vector, a, b, dst ymm) {
	other, nan := v.YMM(), v.YMM()
	v.VMAXPS(b, a, dst)
	v.VMAXPS(a, b, other)
	v.VANDPS(other, dst, dst)
	v.VCMPPS(unordered, b, a, nan)
	v.VORPS(nan, dst, dst)
}

func minLanes(v *vector, a, b, dst ymm) {
	other, nan := v.YMM(), v.YMM()
	v.VMINPS(b, a, dst)
	v.VMINPS(a, b, other)
	v.VORPS(other, dst, dst)
	v.VCMPPS(unordered, b, a, nan)
	v.VORPS(nan, dst, dst)
}
