package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondml/frond/exec"
)

const benchUsage = `Usage: treelstm bench [flags]

Measures how many trees per second this machine trains on and classifies, for every
combination of the batch sizes and numbers of workers given. Each is measured in several
rounds: the table shows the median round, and how far the others are from it. Training
changes a model in memory only. In inference, rows that depend on words alone are kept
from batch to batch, as in any use.

	treelstm bench
	treelstm bench -data ../shared/data/sst -batch 1,25,256
	treelstm bench -model model.safetensors -workers 1,2,4 -json > bench.json
	treelstm bench -device cuda -workers 1 -batch 25,256,1024

`

// benchFlags is the command line of bench.
type benchFlags struct {
	subjectFlags
	batches, workers intList
	trees            int
	time             time.Duration
	json             bool
	device           deviceFlag
}

// intList is a flag with one number or several.
type intList []int

func (l *intList) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*l)), " ", ","), "[]")
}

func (l *intList) Set(s string) error {
	*l = nil
	for field := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return errors.New("want numbers from 1 on with commas between")
		}
		*l = append(*l, n)
	}
	return nil
}

// maxWorkers is more than any machine has use for: every worker has memory of its own.
const maxWorkers = 1024

func benchCommand(ctx context.Context, args []string, s streams) error {
	all := runtime.GOMAXPROCS(0)
	f := benchFlags{batches: intList{1, 25, 256}, workers: slices.Compact(intList{1, all})}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.subjectFlags.vars(fs)
	fs.Var(&f.batches, "batch", "trees that are given at a time: `sizes` with commas between")
	fs.Var(&f.workers, "workers", "goroutines that compute: `numbers` with commas between")
	fs.IntVar(&f.trees, "trees", 1000, "how many trees of the training set are used, over and over")
	fs.DurationVar(&f.time, "time", time.Second, "how long each measurement takes, at least")
	f.device.vars(fs)
	fs.BoolVar(&f.json, "json", false, "print JSON in place of a table")
	if err := parse(fs, args, s.out, func() string { return benchUsage + describe(fs, ownDefault) }); err != nil {
		return err
	}
	if err := f.check(fs); err != nil {
		return err
	}
	return f.device.use(exec.Options{}, func(o exec.Options) error { return f.run(ctx, s, o) })
}

func (f *benchFlags) check(fs *flag.FlagSet) error {
	err := errors.Join(dataNamed(fs), f.subjectFlags.check("bench"))
	switch {
	case err != nil:
		return err
	case fs.NArg() > 0:
		return usageError{fmt.Errorf("bench: unexpected argument %q", fs.Arg(0))}
	case f.trees < 1:
		return usageError{fmt.Errorf("bench: -trees %d: want at least 1", f.trees)}
	case f.time < 0:
		return usageError{fmt.Errorf("bench: -time %v: want at least 0s", f.time)}
	case slices.Max(f.workers) > maxWorkers:
		return usageError{fmt.Errorf("bench: -workers %v: want 1 to %d", &f.workers, maxWorkers)}
	}
	return nil
}

// benchReport is what -json prints.
type benchReport struct {
	Model      config        `json:"model"`
	Data       string        `json:"data"`
	Trees      int           `json:"trees"`
	Nodes      int           `json:"nodes"`
	OS         string        `json:"os"`
	Arch       string        `json:"arch"`
	Processors int           `json:"processors"`
	Device     string        `json:"device"`
	Go         string        `json:"go"`
	Results    []measurement `json:"results"`
}

func (f *benchFlags) run(ctx context.Context, s streams, o exec.Options) error {
	subject, err := f.open(s.err)
	if err != nil {
		return err
	}
	subject.trees.trees = subject.trees.trees[:min(f.trees, len(subject.trees.trees))]
	report := benchReport{
		Data: subject.trees.name, Trees: len(subject.trees.trees),
		OS: runtime.GOOS, Arch: runtime.GOARCH, Processors: runtime.GOMAXPROCS(0), Go: runtime.Version(),
	}
	for _, t := range subject.trees.trees {
		report.Nodes += t.Len()
	}
	table := s.out
	if f.json {
		table = io.Discard
	}
	for i, workers := range f.workers {
		o.Workers = workers
		m, err := subject.load(o)
		if err != nil {
			return err
		}
		if i == 0 {
			report.Model, report.Device = m.config, deviceName(m.session)
			fmt.Fprintf(table, "%v\n%s\n%s/%s, %s, %s, %s\n\n%s", m, subject.trees.describe(m.vocabulary),
				report.OS, report.Arch, count(report.Processors, "processor"), report.Go, report.Device, benchHeading)
		}
		results, err := f.measureAll(ctx, m, workers, subject.trees, table)
		if err = errors.Join(err, m.session.Close()); err != nil {
			return err
		}
		report.Results = append(report.Results, results...)
	}
	if !f.json {
		return nil
	}
	e := json.NewEncoder(s.out)
	e.SetIndent("", "  ")
	return e.Encode(report)
}

// measureAll measures a model with every size of a batch. Inference comes first: later
// the weights have changed.
func (f *benchFlags) measureAll(ctx context.Context, m *model, workers int, c corpus, table io.Writer) ([]measurement, error) {
	b := bench{model: m, examples: examples(c.trees, m.vocabulary), time: f.time}
	var all []measurement
	for _, measure := range []func(context.Context, int) (measurement, error){b.inference, b.training} {
		for _, batch := range f.batches {
			r, err := measure(ctx, batch)
			if err != nil {
				return nil, err
			}
			r.Workers = workers
			if _, err := fmt.Fprint(table, r); err != nil {
				return nil, err // nobody reads on
			}
			all = append(all, r)
		}
	}
	return all, nil
}
