package kernel

import "math"

func sumGo(x []float32) (s float32) {
	for _, v := range x {
		s += v
	}
	return s
}

func dotGo(a, b []float32) (s float32) {
	for i, v := range a {
		s += float32(v * b[i])
	}
	return s
}

func sumSquaresGo(x []float32) (s float32) {
	for _, v := range x {
		s += float32(v * v)
	}
	return s
}

func sumSquaredDeviationsGo(x []float32, mean float32) (s float32) {
	for _, v := range x {
		d := v - mean
		s += float32(d * d)
	}
	return s
}

func maxOfGo(x []float32) float32 {
	s := float32(math.Inf(-1))
	for _, v := range x {
		s = max(s, v)
	}
	return s
}

func sumExpGo(x []float32, shift float32) (s float32) {
	for _, v := range x {
		s += exp32(v - shift)
	}
	return s
}

func expSumGo(dst, x []float32, shift float32) (s float32) {
	for i, v := range x {
		dst[i] = exp32(v - shift)
		s += dst[i]
	}
	return s
}
