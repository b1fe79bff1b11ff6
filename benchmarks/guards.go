package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
	"github.com/frondml/frond/exec"
)

// guardMatrix is small, so that it takes less than a minute, and goes to the ends:
// one narrow tree and many bushy ones.
var guardMatrix = matrix{"guards", []string{"sst", "linear"}, []int{1, 25}, []int{1}, []size{usual}, 1}

// What the guards demand. They look for mistakes, not for a few per cent: machines
// that run them are busy.
const (
	leastOfUnbatched = 0.9
	leastOfLevel     = 0.8  // with mini-batches
	leastOfLevelOne  = 0.65 // with one tree
)

var errGuard = errors.New("guard")

// guard runs the guarded races and reports all guards that fail.
func guard(o *options, out io.Writer) error {
	o.matrices = []matrix{guardMatrix}
	races, err := o.races()
	if err != nil {
		return err
	}
	var r report.Report
	if err := raceAll(&r, races, o, time.Now().Add(40*time.Second), out); err != nil {
		return err
	}
	return checkGuards(r.Races)
}

func guarded(f *field) {
	f.add(contender.NewLevel(level, f.setting, 0))
	f.add(contender.NewRecursive(frondUnshared, f.setting, exec.Options{NoSharing: true}))
	f.add(contender.NewRecursive(frondUnbatched, f.setting, unbatched))
}

func checkGuards(races []report.Race) error {
	var errs []error
	check := func(c *report.Race, other string, least float64) {
		p, q := c.Find(frondUnshared), c.Find(other)
		if ratio := measure.Quantile(measure.Ratios(q.Seconds, p.Seconds), 0.5); !(ratio >= least) {
			errs = append(errs, fmt.Errorf("%w: %s: %q runs at %.2f of the speed of %q, want at least %.2f", errGuard, place(c), frondUnshared, ratio, other, least))
		}
	}
	for i := range races {
		c := &races[i]
		check(c, frondUnbatched, leastOfUnbatched)
		least := leastOfLevel
		if c.Batch == 1 {
			least = leastOfLevelOne
		}
		check(c, level, least)
	}
	return errors.Join(errs...)
}
