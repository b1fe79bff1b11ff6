package golden

import (
	"math"
	"testing"
)

// Tolerance says how far results may be from the reference.
type Tolerance struct {
	Loss     float64 // relative
	Gradient float64 // relative to the largest element of an array
}

var (
	// Float32 is for executions in float32.
	Float32 = Tolerance{Loss: 1e-4, Gradient: 1e-3}
	// Float64 is for executions in float64, which differ by roundings alone.
	Float64 = Tolerance{Loss: 1e-10, Gradient: 1e-9}
)

// CheckLoss reports a loss that is not near the reference.
func CheckLoss(t testing.TB, what string, got, want float64, tol Tolerance) {
	t.Helper()
	if !near(got, want, tol.Loss*math.Abs(want)) {
		t.Errorf("%s: loss %.15g, want %.15g", what, got, want)
	}
}

// CheckValues reports values of which one is not near the reference, relative to
// the largest. A reference of zeros must be met exactly.
func CheckValues(t testing.TB, what string, got, want []float64, tol Tolerance) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if !near(got[i], w, tol.Gradient*largest) {
			t.Errorf("%s: value %d is %.15g, want %.15g (largest %.3g)", what, i, got[i], w, largest)
			return
		}
	}
}

// CheckGradient reports a gradient that is not near the reference in every
// element that is known, in its norm and in its sum.
func CheckGradient(t testing.TB, got []float64, want Gradient, tol Tolerance) {
	t.Helper()
	what := "gradient of " + want.Name
	l2, sum := 0.0, 0.0
	for _, g := range got {
		l2 += g * g
		sum += g
	}
	if l2 = math.Sqrt(l2); !near(l2, want.L2, tol.Gradient*want.L2) {
		t.Errorf("%s: norm %.15g, want %.15g", what, l2, want.L2)
	}
	if !near(sum, want.Sum, tol.Gradient*max(math.Abs(want.Sum), want.L2)) {
		t.Errorf("%s: sum %.15g, want %.15g", what, sum, want.Sum)
	}
	if want.Indexes != nil {
		some := make([]float64, 0, len(want.Indexes))
		for _, i := range want.Indexes {
			if i >= len(got) {
				t.Errorf("%s: %d values, want more than %d", what, len(got), i)
				return
			}
			some = append(some, got[i])
		}
		got = some
	}
	CheckValues(t, what, got, want.Values, tol)
}

// near is false when got is NaN.
func near(got, want, tol float64) bool { return math.Abs(got-want) <= tol }
