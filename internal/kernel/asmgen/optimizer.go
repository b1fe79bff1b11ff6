package main

// optimizerKernels update weights and their state in one pass.
func optimizerKernels() []vectorKernel {
	return []vectorKernel{
		{
			name: "momentum", slices: []string{"w", "v", "g"}, scalars: []string{"rate", "decay"},
			loop: "v[i] = fma(decay, v[i], g[i])\nw[i] = fma(-rate, v[i], w[i])", unroll: 2,
			body: func(v *vector) {
				vel, w := v.load("v"), v.load("w")
				v.VFMADD213PS(v.load("g"), v.scalar["decay"], vel)
				v.store("v", vel)
				v.VFNMADD231PS(vel, v.scalar["rate"], w)
				v.store("w", w)
			},
		},
		{
			name: "adagrad", slices: []string{"w", "sum", "g"}, scalars: []string{"rate", "eps"},
			loop: "sum[i] = fma(g[i], g[i], sum[i])\nw[i] -= rate * g[i] / (sqrt(sum[i]) + eps)",
			body: func(v *vector) {
				g, sum, w := v.load("g"), v.load("sum"), v.load("w")
				v.VFMADD231PS(g, g, sum)
				v.store("sum", sum)
				v.VSQRTPS(sum, sum)
				v.VADDPS(v.scalar["eps"], sum, sum)
				v.VMULPS(v.scalar["rate"], g, g)
				v.VDIVPS(sum, g, g)
				v.VSUBPS(g, w, w)
				v.store("w", w)
			},
		},
		{
			name: "adam", slices: []string{"w", "m", "v", "g"},
			scalars: []string{"rate", "beta1", "rest1", "beta2", "rest2", "correct2", "eps"},
			loop: "m[i] = fma(beta1, m[i], rest1*g[i])\nv[i] = fma(beta2, v[i], rest2*(g[i]*g[i]))\n" +
				"w[i] -= rate * m[i] / (sqrt(v[i]*correct2) + eps)",
			body: adamBody,
		},
	}
}

func adamBody(v *vector) {
	g, m, s, w := v.load("g"), v.load("m"), v.load("v"), v.load("w")
	square := v.YMM()
	v.VMULPS(g, g, square)
	v.VMULPS(v.scalar["rest1"], g, g)
	v.VFMADD213PS(g, v.scalar["beta1"], m)
	v.store("m", m)
	v.VMULPS(v.scalar["rest2"], square, square)
	v.VFMADD213PS(square, v.scalar["beta2"], s)
	v.store("v", s)
	v.VMULPS(v.scalar["correct2"], s, s)
	v.VSQRTPS(s, s)
	v.VADDPS(v.scalar["eps"], s, s)
	v.VMULPS(v.scalar["rate"], m, m)
	v.VDIVPS(s, m, m)
	v.VSUBPS(m, w, w)
	v.store("w", w)
}
