package minimax

import (
	"errors"
	"math"
	"testing"
)

// TestFitChebyshev recovers a known answer: the best polynomial of degree n-1
// for xⁿ on [-1, 1] has the error 2^(1-n).
func TestFitChebyshev(t *testing.T) {
	for n := 2; n <= 8; n++ {
		s, err := Fit(Problem{
			F:      func(x float64) float64 { return math.Pow(x, float64(n)) },
			Weight: func(float64) float64 { return 1 },
			Lo:     -1, Hi: 1, Degree: n - 1,
		})
		if err != nil {
			t.Fatal(n, err)
		}
		if want := math.Pow(2, float64(1-n)); math.Abs(s.Error-want) > 1e-6*want {
			t.Errorf("degree %d: error %g, want %g", n-1, s.Error, want)
		}
	}
}

// TestFitBeatsTaylor checks a weighted fit against the truncated series.
func TestFitBeatsTaylor(t *testing.T) {
	p := Problem{F: math.Exp, Weight: func(x float64) float64 { return math.Exp(-x) }, Lo: -0.35, Hi: 0.35, Degree: 5}
	s, err := Fit(p)
	if err != nil {
		t.Fatal(err)
	}
	taylor := []float64{1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120}
	worst := 0.0
	for x := p.Lo; x <= p.Hi; x += 1e-4 {
		if e := math.Abs(p.error(s.Coeffs, x)); e > s.Error*(1+1e-4) {
			t.Fatalf("error %g at %g exceeds the claimed %g", e, x, s.Error)
		}
		worst = max(worst, math.Abs(p.error(taylor, x)))
	}
	if s.Error > worst/10 {
		t.Errorf("error %g is not far below that of the series, %g", s.Error, worst)
	}
}

func TestFitReportsFailure(t *testing.T) {
	_, err := Fit(Problem{
		F: func(float64) float64 { return 0 }, Weight: func(float64) float64 { return 1 }, Lo: 0, Hi: 1, Degree: 3,
	})
	if !errors.Is(err, ErrNoConvergence) {
		t.Errorf("got %v, want %v", err, ErrNoConvergence)
	}
}
