package optest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/frondml/frond/graph"
)

// Case is a use of an operator that the suite checks.
type Case struct {
	Name string
	// Build applies the operator to the inputs.
	Build func(m *graph.Module, in []graph.Value) graph.Value
	In    []graph.Type
	// Lengths are the lengths to try: each entry holds one length per list among
	// In, or a single one for all of them. Nil means {0}, {1} and {3}.
	Lengths [][]int
	// Domain draws an element of float input i. Use it to stay away from poles
	// and from points where the operator is not smooth. Nil means [-1.5, 1.5).
	Domain func(i int, rng *rand.Rand) float64
	// IntRange gives the range [lo, hi) of the elements of integer input i; lens
	// are the lengths of the lists. Nil means [0, 4). Truth values are free.
	IntRange func(i int, lens []int) (lo, hi int)
	// NoGrad says that no gradient reaches any input.
	NoGrad bool
	// Registry makes operators of the case that package ops does not have from
	// their attributes, by name. It may be nil when there are none.
	Registry map[string]func([]graph.Attr) (graph.Op, error)
	// Tol bounds the error of the kernels against Eval: |got-want| may be
	// Tol*(1+|want|). Zero means 2e-6, some ten roundings.
	Tol float64
}

// Ints is an IntRange that is the same for all inputs.
func Ints(lo, hi int) func(int, []int) (int, int) {
	return func(int, []int) (int, int) { return lo, hi }
}

// Interval is a Domain that is the same for all inputs.
func Interval(lo, hi float64) func(int, *rand.Rand) float64 {
	return func(_ int, rng *rand.Rand) float64 { return lo + (hi-lo)*rng.Float64() }
}

// Away is a Domain of distinct values on both sides of zero, at least gap from
// it and, with great probability, from each other.
func Away(gap float64) func(int, *rand.Rand) float64 {
	return func(_ int, rng *rand.Rand) float64 {
		x := gap + 1.5*rng.Float64()
		if rng.IntN(2) == 0 {
			return -x
		}
		return x
	}
}

// Run checks a case and reports every failure as a subtest.
func Run(t *testing.T, c Case) {
	t.Helper()
	t.Run(c.Name, func(t *testing.T) {
		for _, check := range checks {
			if err := check.run(c); err != nil {
				t.Errorf("%s: %v", check.name, err)
			}
		}
	})
}

// Check returns every failure of a case, joined; nil when it passes.
func Check(c Case) error {
	var errs []error
	for _, check := range checks {
		if err := check.run(c); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", check.name, err))
		}
	}
	return errors.Join(errs...)
}

var checks = []struct {
	name string
	run  func(Case) error
}{
	{"evaluation", checkForward},
	{"gradient", func(c Case) error { return CheckGradient(c, nil) }},
	{"batching", checkBatching},
	{"registry", checkRegistry},
}

func checkForward(c Case) error {
	g, err := c.build(nil)
	if err != nil {
		return err
	}
	sets, err := c.lengths()
	if err != nil {
		return err
	}
	for _, lens := range sets {
		if _, err := Eval(g, c.inputs(c.rng("evaluation"), lens)); err != nil {
			return fmt.Errorf("lists of %v: %w", lens, err)
		}
	}
	return nil
}
