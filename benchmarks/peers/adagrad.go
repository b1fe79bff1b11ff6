package main

import "math"

// adagrad updates the parameter w by its gradient g, of which sum holds the squares
// so far.
func adagrad(w, sum, g []float32, rate, eps float64) {
	for i, d := range g {
		sum[i] += d * d
		w[i] -= float32(rate) * d / (float32(math.Sqrt(float64(sum[i]))) + float32(eps))
	}
}
