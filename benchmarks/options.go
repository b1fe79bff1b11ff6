package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/frondml/frond/benchmarks/measure"
)

// options are what the command line says.
type options struct {
	args     []string
	matrix   matrix
	only     *regexp.Regexp
	rounds   int
	budget   time.Duration
	sample   time.Duration // at least
	kernels  bool
	guards   bool
	json     string
	markdown string
}

// matrix spans the races.
type matrix struct {
	modes, trees   []string
	batch, workers []int
	sizes          [][2]int // embedding, hidden
}

var (
	fullMatrix = matrix{
		modes: []string{"infer", "train"}, trees: []string{"sst", "balanced", "moderate", "linear"},
		batch: []int{1, 10, 25, 128}, workers: []int{1, 2}, sizes: [][2]int{{300, 150}, {256, 256}},
	}
	shortMatrix = matrix{
		modes: []string{"infer", "train"}, trees: []string{"sst", "linear"},
		batch: []int{1, 25, 128}, workers: []int{1, 2}, sizes: [][2]int{{300, 150}},
	}
)

func parseOptions(args []string, errors io.Writer) (*options, error) {
	o := &options{args: args}
	f := flag.NewFlagSet("benchmarks", flag.ContinueOnError)
	f.SetOutput(errors)
	full := f.Bool("full", false, "run all races; takes under 20 minutes")
	f.IntVar(&o.rounds, "rounds", 41, "samples per contender and race, at most")
	f.DurationVar(&o.budget, "time", 0, "time for everything (default 4m, with -full 18m)")
	f.DurationVar(&o.sample, "sample", 40*time.Millisecond, "time per sample, at least")
	f.BoolVar(&o.kernels, "kernels", true, "measure the kernels as well")
	f.BoolVar(&o.guards, "guards", false, "check ratios only; fail when one is too small")
	f.StringVar(&o.json, "json", "", "write the results as JSON to this `file` (with -full benchmarks/results.json)")
	f.StringVar(&o.markdown, "markdown", "", "write the results as Markdown to this `file` (with -full benchmarks/RESULTS.md)")
	only := f.String("only", "", "run the races whose names match this `regexp`, such as train/sst/300x150/b25/w1, of all there are")
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
	if *full {
		o.json, o.markdown = cmp.Or(o.json, "benchmarks/results.json"), cmp.Or(o.markdown, "benchmarks/RESULTS.md")
	}
	o.matrix = shortMatrix
	if *full || *only != "" {
		o.matrix = fullMatrix
	}
	if o.budget == 0 {
		o.budget = 4 * time.Minute
		if *full {
			o.budget = 18 * time.Minute
		}
	}
	return o, nil
}

// race is a setting and a mode.
type race struct {
	group
	mode  string
	batch int
}

// group is what races have in common that share their contenders.
type group struct {
	trees         string
	embed, hidden int
	workers       int
}

func (r race) String() string {
	return strings.Join([]string{r.mode, r.trees, strconv.Itoa(r.embed) + "x" + strconv.Itoa(r.hidden),
		"b" + strconv.Itoa(r.batch), "w" + strconv.Itoa(r.workers)}, "/")
}

// races lists the selected races, those of a group side by side.
func (o *options) races() ([]race, error) {
	var races []race
	m := &o.matrix
	for _, size := range m.sizes {
		for _, trees := range m.trees {
			for _, workers := range m.workers {
				for _, batch := range m.batch {
					for _, mode := range m.modes {
						r := race{group{trees, size[0], size[1], workers}, mode, batch}
						if o.only.MatchString(r.String()) {
							races = append(races, r)
						}
					}
				}
			}
		}
	}
	if len(races) == 0 {
		return nil, fmt.Errorf("no race matches %q; names are like %v", o.only, race{group{m.trees[0], m.sizes[0][0], m.sizes[0][1], 1}, "train", 25})
	}
	return races, nil
}
