package kernel

import "math"

func momentumGo(w, v, g []float32, rate, decay float32) {
	for i := range w {
		v[i] = float32(decay*v[i]) + g[i]
		w[i] -= float32(rate * v[i])
	}
}

func adagradGo(w, sum, g []float32, rate, eps float32) {
	for i := range w {
		sum[i] += float32(g[i] * g[i])
		w[i] -= float32(rate*g[i]) / (sqrt32(sum[i]) + eps)
	}
}

func adamGo(w, m, v, g []float32, rate, beta1, rest1, beta2, rest2, correct2, eps float32) {
	for i, x := range g {
		m[i] = float32(beta1*m[i]) + float32(rest1*x)
		v[i] = float32(beta2*v[i]) + float32(rest2*float32(x*x))
		w[i] -= float32(rate*m[i]) / (sqrt32(float32(v[i]*correct2)) + eps)
	}
}

func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }
