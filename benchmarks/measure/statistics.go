package measure

import (
	"math"
	"slices"
)

// Spread is the median of a sample and its outer tenths.
type Spread struct {
	P10, Median, P90 float64
}

// SpreadOf returns the spread of x, NaNs if x is empty.
func SpreadOf(x []float64) Spread {
	return Spread{Quantile(x, 0.1), Quantile(x, 0.5), Quantile(x, 0.9)}
}

// Quantile returns the value below which the part q of x lies, interpolated between
// neighbours; NaN if x is empty.
func Quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	at, part := math.Modf(q * float64(len(sorted)-1))
	i := int(at)
	if part == 0 {
		return sorted[i]
	}
	return sorted[i] + part*(sorted[i+1]-sorted[i])
}

// Ratios returns a[i]/b[i] for every round i. Neighbours in time have met the same
// disturbances, which cancel in their ratio and not in that of two medians.
func Ratios(a, b []float64) []float64 {
	r := make([]float64, min(len(a), len(b)))
	for i := range r {
		r[i] = a[i] / b[i]
	}
	return r
}

// PerSecond returns the rates at which work of the given amount was done.
func PerSecond(amount float64, seconds []float64) []float64 {
	r := make([]float64, len(seconds))
	for i, s := range seconds {
		r[i] = amount / s
	}
	return r
}
