package curve

import (
	"math"
	"strconv"
)

// axis is a range of values with marks at round numbers.
type axis struct {
	min, max float64
	ticks    []float64
	decimals int // that tell the ticks apart
}

// newAxis returns an axis that holds the range from low to high and has about n ticks.
func newAxis(low, high float64, n int) axis {
	if low == high {
		pad := math.Max(math.Abs(low)*0.1, 0.5)
		low, high = low-pad, high+pad
	}
	step := roundStep((high - low) / float64(n))
	first, last := math.Floor(low/step), math.Ceil(high/step)
	a := axis{min: first * step, max: last * step, decimals: max(0, int(math.Ceil(-math.Log10(step)-1e-9)))}
	for i := first; i <= last; i++ {
		a.ticks = append(a.ticks, i*step)
	}
	return a
}

// roundStep returns the smallest of 1, 2 and 5 times a power of ten that is not below
// least.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= least*(1-1e-9) {
			return digit * power
		}
	}
	return 10 * power
}

// at returns where x lies between the ends, from 0 to 1.
func (a axis) at(x float64) float64 { return (x - a.min) / (a.max - a.min) }

// label writes a tick.
func (a axis) label(tick float64) string {
	const long = 1e7
	if a.decimals > 6 || math.Abs(a.max) >= long || math.Abs(a.min) >= long {
		return strconv.FormatFloat(tick, 'g', 3, 64)
	}
	return strconv.FormatFloat(tick+0, 'f', a.decimals, 64) // +0: there is no -0
}
