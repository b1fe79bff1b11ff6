package kernel

import "math"

// The transcendental functions go through float64: exact enough to be the
// yardstick of the assembly, and as fast as scalar float32 code.

func expGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = exp32(v)
	}
}

func exp32(x float32) float32 { return float32(math.Exp(float64(x))) }

func logGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Log(float64(v)))
	}
}

func sigmoidGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
}

func tanhGo(dst, x []float32) {
	for i, v := range x {
		dst[i] = float32(math.Tanh(float64(v)))
	}
}

func reluGo(dst, x []float32) {
	for i, v := range x {
		if v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

func dSigmoidGo(dst, g, y []float32) {
	for i := range dst {
		dst[i] = g[i] * (y[i] * (1 - y[i]))
	}
}

func addDSigmoidGo(dst, g, y []float32) {
	for i := range dst {
		dst[i] += float32(g[i] * (y[i] * (1 - y[i])))
	}
}

func dTanhGo(dst, g, y []float32) {
	for i := range dst {
		dst[i] = g[i] * (1 - float32(y[i]*y[i]))
	}
}

func addDTanhGo(dst, g, y []float32) {
	for i := range dst {
		dst[i] += float32(g[i] * (1 - float32(y[i]*y[i])))
	}
}

func dReluGo(dst, g, y []float32) {
	for i := range dst {
		if y[i] > 0 {
			dst[i] = g[i]
		} else {
			dst[i] = 0
		}
	}
}

func addDReluGo(dst, g, y []float32) {
	for i := range dst {
		if y[i] > 0 {
			dst[i] += g[i]
		}
	}
}
