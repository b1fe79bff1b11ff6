package exec

import "math"

// lossSum adds float32 numbers so that the sum does not depend on their order:
// whole parts and fractions are added as integers, fractions in units of 2^-40.
// Infinities, NaNs and numbers beyond 2^62 make the sum non-finite.
type lossSum struct {
	whole, fraction int64
	special         float64 // sum of what the integers cannot hold
}

const fractionUnits = 1 << 40

func (s *lossSum) add(x float32) {
	y := float64(x)
	if math.Abs(y) >= 1<<50 || y != y {
		s.special += y
		return
	}
	w, f := math.Modf(y)
	s.whole += int64(w)
	s.fraction += int64(math.RoundToEven(f * fractionUnits))
}

func (s *lossSum) merge(o lossSum) {
	s.whole += o.whole
	s.fraction += o.fraction
	s.special += o.special
}

func (s *lossSum) value() float64 {
	return float64(s.whole) + float64(s.fraction)/fractionUnits + s.special
}
