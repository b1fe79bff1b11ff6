package main

import "math"

// reductionKernels return one number. Their accumulators are as many as the
// latency of an addition asks for.
func reductionKernels(c coefficients) []vectorKernel {
	sum := func(name string, slices, scalars []string, loop string, body func(v *vector)) vectorKernel {
		return vectorKernel{
			name: name, slices: slices, scalars: scalars, loop: loop, unroll: 4, body: body,
			result: "0", merge: "s += t",
			join: func(b *builder, x, acc ymm) { b.VADDPS(x, acc, acc) },
		}
	}
	x := []string{"x"}
	kernels := []vectorKernel{
		sum("sum", x, nil, "s += x[i]", func(v *vector) {
			v.VADDPS(v.load("x"), v.acc, v.acc)
		}),
		sum("dot", []string{"a", "b"}, nil, "s = fma(a[i], b[i], s)", func(v *vector) {
			v.VFMADD231PS(v.load("a"), v.load("b"), v.acc)
		}),
		sum("sumSquares", x, nil, "s = fma(x[i], x[i], s)", func(v *vector) {
			x := v.load("x")
			v.VFMADD231PS(x, x, v.acc)
		}),
		sum("sumSquaredDeviations", x, []string{"mean"}, "s = fma(x[i]-mean, x[i]-mean, s)", func(v *vector) {
			x := v.load("x")
			v.VSUBPS(v.scalar["mean"], x, x)
			v.clearOutside(x)
			v.VFMADD231PS(x, x, v.acc)
		}),
		maxKernel(),
	}
	sumExp := sum("sumExp", x, []string{"shift"}, "s += exp(x[i] - shift)", func(v *vector) {
		v.VADDPS(c.shiftedExp(v), v.acc, v.acc)
	})
	expSum := sum("expSum", []string{"dst", "x"}, []string{"shift"}, "dst[i] = exp(x[i] - shift)\ns += dst[i]", func(v *vector) {
		y := c.shiftedExp(v)
		v.store("dst", y)
		v.VADDPS(y, v.acc, v.acc)
	})
	sumExp.unroll, expSum.unroll = 1, 1
	return append(kernels, sumExp, expSum)
}

func (c coefficients) shiftedExp(v *vector) ymm {
	x := v.load("x")
	v.VSUBPS(v.scalar["shift"], x, x)
	y := c.expLanes(v, x)
	v.clearOutside(y)
	return y
}

// clearOutside zeroes the lanes of x that a masked load left out and the body
// has changed since.
func (v *vector) clearOutside(x ymm) {
	if v.mask != nil {
		v.VANDPS(v.mask, x, x)
	}
}

// maxKernel returns the largest element, or NaN if there is one: lanes that
// met a NaN are all ones from then on.
func maxKernel() vectorKernel {
	low := float32(math.Inf(-1))
	join := func(b *builder, x, acc ymm) {
		nan := b.YMM()
		b.VCMPPS(unordered, acc, x, nan)
		b.VMAXPS(x, acc, acc)
		b.VORPS(nan, acc, acc)
	}
	return vectorKernel{
		name: "maxOf", slices: []string{"x"}, loop: "s = max(s, x[i])", unroll: 4,
		result: "math.Inf(-1)", start: low, merge: "s = max(s, t)", join: join,
		body: func(v *vector) {
			x := v.load("x")
			if v.mask != nil {
				outside := v.YMM()
				v.VMOVUPS(v.splat(low), outside)
				v.VBLENDVPS(v.mask, x, outside, x)
			}
			join(v.builder, x, v.acc)
		},
	}
}
