package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
	"github.com/frondml/frond/exec"
)

// Names of contenders.
const (
	level          = "level"
	levelOneRow    = "level, one row"
	frond          = "frond"
	frondUnshared  = "frond, unshared"
	frondUnbatched = "frond, unbatched"
)

// contenders makes those of a race; the first is what the others are compared with.
func contenders(s contender.Setting) ([]contender.Contender, error) {
	list := new(lineup)
	list.add(contender.NewLevel(level, s, 0))
	list.add(contender.NewLevel(levelOneRow, s, 1))
	list.add(contender.NewRecursive(frond, s, exec.Options{}))
	list.add(contender.NewRecursive(frondUnshared, s, exec.Options{NoSharing: true}))
	list.add(contender.NewRecursive(frondUnbatched, s, exec.Options{NoSharing: true, Batching: exec.BatchOff}))
	return list.contenders, list.err
}

// lineup collects contenders until one could not be made.
type lineup struct {
	contenders []contender.Contender
	err        error
}

func (l *lineup) add(c contender.Contender, err error) {
	l.err = cmp.Or(l.err, err)
	l.contenders = append(l.contenders, c)
}

const (
	// treeCount is how many trees there are: enough for two of the largest
	// mini-batches.
	treeCount = 256
	// leafCount is the number of leaves of the trees of a given shape.
	leafCount = 32
)

// loadTrees returns the trees with a name.
func loadTrees(name string) (*corpus.Corpus, error) {
	switch name {
	case "sst":
		if dir := corpus.FindSST("."); dir != "" {
			return corpus.ReadSST(dir, treeCount)
		}
		return corpus.GenerateSentences(treeCount), nil
	case "balanced":
		return corpus.Generate(name, treeCount, leafCount, corpus.Balanced), nil
	case "moderate":
		return corpus.Generate(name, treeCount, leafCount, corpus.Moderate), nil
	case "linear":
		return corpus.Generate(name, treeCount, leafCount, corpus.Linear), nil
	}
	return nil, fmt.Errorf("no trees are called %q", name)
}

// raceAll runs the races one after the other and gives each an equal part of the
// time that is left. It prints each as it ends.
func raceAll(races []race, make func(contender.Setting) ([]contender.Contender, error), o *options, deadline time.Time, out io.Writer) ([]report.Race, error) {
	var results []report.Race
	var field field
	defer func() { field.close() }()
	for i, r := range races {
		if i == 0 || r.group != races[i-1].group {
			if err := field.enter(r.group, make); err != nil {
				return nil, fmt.Errorf("%v: %w", r, err)
			}
		}
		budget := max(0, time.Until(deadline)) / time.Duration(len(races)-i)
		result, err := field.race(r, o.sample, measure.Options{Rounds: o.rounds, Budget: budget, Seed: uint64(i)})
		if err != nil {
			return nil, fmt.Errorf("%v: %w", r, err)
		}
		if err := result.WriteTable(out); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// field is the contenders of a group of races.
type field struct {
	setting    contender.Setting
	contenders []contender.Contender
}

// enter replaces the contenders by those of another group and checks that these
// compute the same.
func (f *field) enter(g group, make func(contender.Setting) ([]contender.Contender, error)) error {
	if err := f.close(); err != nil {
		return err
	}
	trees, err := loadTrees(g.trees)
	if err != nil {
		return err
	}
	f.setting = contender.Setting{Corpus: trees, Embed: g.embed, Hidden: g.hidden, Workers: g.workers}
	if f.contenders, err = make(f.setting); err != nil {
		return err
	}
	return contender.Agree(f.contenders, contender.Batches(trees.Trees, 25)[:3])
}

func (f *field) close() error {
	var errs []error
	for _, c := range f.contenders {
		errs = append(errs, c.Close())
	}
	f.contenders = nil
	return errors.Join(errs...)
}

// race times all contenders on the same mini-batches, so many that the fastest takes
// at least the given time per sample.
func (f *field) race(r race, sample time.Duration, o measure.Options) (report.Race, error) {
	batches := contender.Batches(f.setting.Corpus.Trees, r.batch)
	count := 0 // mini-batches per sample
	var cases []measure.Case
	for _, c := range f.contenders {
		do := c.Infer
		if r.mode == "train" {
			do = c.Train
		}
		i := 0
		n, err := measure.Repeat(func() error {
			_, err := do(batches[i%len(batches)])
			i++
			return err
		}, sample)
		if err != nil {
			return report.Race{}, fmt.Errorf("%s: %w", c.Name(), err)
		}
		count = max(count, n)
		cases = append(cases, measure.Case{Name: c.Name(), Run: func() error {
			for i := range count {
				if _, err := do(batches[i%len(batches)]); err != nil {
					return err
				}
			}
			return nil
		}})
	}
	samples, err := measure.Race(cases, o)
	if err != nil {
		return report.Race{}, err
	}
	return f.result(r, batches, count, cases, samples), nil
}

func (f *field) result(r race, batches []*contender.Batch, count int, cases []measure.Case, samples []measure.Samples) report.Race {
	result := report.Race{
		Mode: r.mode, Trees: f.setting.Corpus.Name, Batch: r.batch, Workers: r.workers, Embed: r.embed, Hidden: r.hidden,
		Sentences: count * r.batch, Clock: "wall",
	}
	leaves := 0
	for i := range count {
		for _, t := range batches[i%len(batches)].Trees {
			result.Nodes += t.Len()
			leaves += t.Leaves()
		}
	}
	result.GFLOP = gflop(r, leaves, result.Nodes, f.setting.Corpus.Classes)
	clock := func(s *measure.Samples) []float64 { return s.Wall }
	if r.workers == 1 && samples[0].CPU[0] > 0 {
		result.Clock = "cpu"
		clock = func(s *measure.Samples) []float64 { return s.CPU }
	}
	sentences := float64(result.Sentences)
	for i, c := range cases {
		s := &samples[i]
		result.Results = append(result.Results, report.Result{
			Contender: c.Name, Rounds: len(s.Wall),
			PerSecond:      measure.SpreadOf(measure.PerSecond(sentences, clock(s))),
			Ratio:          measure.SpreadOf(measure.Ratios(clock(&samples[0]), clock(s))),
			WallPerSecond:  measure.Quantile(measure.PerSecond(sentences, s.Wall), 0.5),
			Cores:          measure.Quantile(measure.Ratios(s.CPU, s.Wall), 0.5),
			MallocsPerNode: measure.Quantile(s.Mallocs, 0.5) / float64(result.Nodes),
			Seconds:        clock(s),
		})
	}
	return result
}

// gflop counts the operations of the model's matrix products, in 10⁹. Backward each
// product makes two: for the adjoint of its input and for that of its weight.
func gflop(r race, leaves, nodes, classes int) float64 {
	h := float64(r.hidden)
	products := float64(leaves)*float64(r.embed)*3*h + float64(nodes-leaves)*2*h*5*h + float64(nodes)*h*float64(classes)
	if r.mode == "train" {
		products *= 3
	}
	return 2 * products / 1e9
}
