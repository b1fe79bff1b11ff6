package main

import (
	"fmt"
	"math"

	"github.com/frondml/frond/internal/kernel/asmgen/minimax"
)

// coefficients are the polynomials of the transcendental kernels, lowest power
// first.
type coefficients struct {
	exp   []float64 // (eʳ-1-r)/r² for a small error relative to eʳ
	expm1 []float64 // the same for a small error relative to eʳ-1
	log   []float64 // (log(1+f)-f+f²/2)/f³
}

// The degrees are the lowest whose error, printed by -v, stays well below half
// an ulp, 2⁻²⁵ ≈ 3.0e-8.
const (
	expDegree   = 4
	expm1Degree = 4
	logDegree   = 7
)

// reduced is the largest |r| after the reduction of exp: half of ln 2, and a
// little more for the rounding of its quotient.
const reduced = math.Ln2/2 + 1e-5

func deriveCoefficients() (coefficients, error) {
	square := func(r float64) float64 { return r * r }
	exp, err := fit(minimax.Problem{
		F: expTail, Weight: func(r float64) float64 { return square(r) / math.Exp(r) },
		Lo: -reduced, Hi: reduced, Degree: expDegree,
	})
	if err != nil {
		return coefficients{}, fmt.Errorf("exp: %w", err)
	}
	expm1, err := fit(minimax.Problem{
		F: expTail, Weight: func(r float64) float64 { return math.Abs(r) / (1 + r*expTail(r)) },
		Lo: -reduced, Hi: reduced, Degree: expm1Degree,
	})
	if err != nil {
		return coefficients{}, fmt.Errorf("expm1: %w", err)
	}
	log, err := fit(minimax.Problem{
		F: logTail, Weight: func(f float64) float64 { return square(f) / (1 - f/2 + square(f)*logTail(f)) },
		Lo: math.Sqrt2/2 - 1, Hi: math.Sqrt2 - 1, Degree: logDegree,
	})
	if err != nil {
		return coefficients{}, fmt.Errorf("log: %w", err)
	}
	return coefficients{exp: exp, expm1: expm1, log: log}, nil
}

func fit(p minimax.Problem) ([]float64, error) {
	s, err := minimax.Fit(p)
	if err != nil {
		return nil, err
	}
	verbosef("degree %d on [%.4f, %.4f]: relative error %.2g, coefficients %.9g", p.Degree, p.Lo, p.Hi, s.Error, s.Coeffs)
	return s.Coeffs, nil
}

// expTail is (eʳ-1-r)/r² by its series, which does not cancel at zero.
func expTail(r float64) float64 {
	sum, term := 0.0, 0.5
	for i := 3.0; term != 0 && math.Abs(term) > 1e-20; i++ {
		sum += term
		term *= r / i
	}
	return sum
}

// logTail is (log(1+f)-f+f²/2)/f³ by its series.
func logTail(f float64) float64 {
	sum, power := 0.0, 1.0
	for i := 3.0; math.Abs(power) > 1e-20; i++ {
		sum += power / i
		power *= -f
	}
	return sum
}
