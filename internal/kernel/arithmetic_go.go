package kernel

// As in the products, a conversion follows each multiplication whose result is
// added to, so that no compiler fuses the two.

func addGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func subGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

func mulGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

func divGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = a[i] / b[i]
	}
}

func maxGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = max(a[i], b[i])
	}
}

func minGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] = min(a[i], b[i])
	}
}

func scaleGo(dst, x []float32, s float32) {
	for i := range dst {
		dst[i] = s * x[i]
	}
}

func addScalarGo(dst, x []float32, s float32) {
	for i := range dst {
		dst[i] = x[i] + s
	}
}

func axpyGo(dst, x []float32, s float32) {
	for i := range dst {
		dst[i] += float32(s * x[i])
	}
}

func addToGo(dst, x []float32) {
	for i := range dst {
		dst[i] += x[i]
	}
}

func mulAddGo(dst, a, b []float32) {
	for i := range dst {
		dst[i] += float32(a[i] * b[i])
	}
}

func scaleShiftGo(dst, x, scale, shift []float32) {
	for i := range dst {
		dst[i] = float32(x[i]*scale[i]) + shift[i]
	}
}

func normalizeGo(dst, x []float32, mean, scale float32) {
	for i := range dst {
		dst[i] = (x[i] - mean) * scale
	}
}

func subTwoGo(dst, x []float32, s, t float32) {
	for i := range dst {
		dst[i] = x[i] - s - t
	}
}
