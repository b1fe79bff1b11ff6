package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/frondml/frond/benchmarks/measure"
)

// options are what the command line says.
type options struct {
	args     []string
	matrices []matrix
	only     *regexp.Regexp
	rounds   int
	budget   time.Duration
	sample   time.Duration // at least
	guards   bool
	json     string
	markdown string
	charts   bool
}

// The time for everything.
const (
	shortBudget = 4 * time.Minute
	fullBudget  = 11 * time.Minute
)

func parseOptions(args []string, errors io.Writer) (*options, error) {
	o := &options{args: args}
	f := flag.NewFlagSet("benchmarks", flag.ContinueOnError)
	f.SetOutput(errors)
	full := f.Bool("full", false, "run everything; takes 12 minutes")
	f.IntVar(&o.rounds, "rounds", 41, "samples per contender and race, at most")
	f.DurationVar(&o.budget, "time", 0, fmt.Sprintf("time for everything (default %v, with -full %v)", shortBudget, fullBudget))
	f.DurationVar(&o.sample, "sample", 40*time.Millisecond, "time per sample, at least")
	f.BoolVar(&o.guards, "guards", false, "check ratios only; fail when one is too small")
	f.StringVar(&o.json, "json", "", "write the results as JSON to this `file` (with -full benchmarks/results.json)")
	f.StringVar(&o.markdown, "markdown", "", "write the results as Markdown to this `file` (with -full benchmarks/RESULTS.md)")
	only := f.String("only", "", "run what has a name that matches this `regexp`, of all there is: kernels, programs, and races such as train/sst/300x150/b25/w1")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	fail := func(err error) (*options, error) {
		fmt.Fprintln(errors, "benchmarks:", err)
		return nil, err
	}
	if f.NArg() > 0 {
		return fail(fmt.Errorf("unexpected argument %q", f.Arg(0)))
	}
	if o.rounds < measure.MinRounds || o.budget < 0 {
		return fail(fmt.Errorf("-rounds %d -time %v: want at least %d rounds and no negative time", o.rounds, o.budget, measure.MinRounds))
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return fail(fmt.Errorf("-only: %w", err))
	}
	o.matrices = shortMatrices
	if *full || *only != "" {
		o.matrices = fullMatrices
	}
	if *full {
		o.json, o.markdown, o.charts = cmp.Or(o.json, "benchmarks/results.json"), cmp.Or(o.markdown, "benchmarks/RESULTS.md"), true
		o.budget = cmp.Or(o.budget, fullBudget)
	}
	o.budget = cmp.Or(o.budget, shortBudget)
	return o, nil
}
