package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/benchmarks/report"
)

// raceAll runs the races one after the other, divides the time that is left among
// them by their weight, and adds what it found to the report. It prints each race as
// it ends.
func raceAll(r *report.Report, races []race, o *options, deadline time.Time, out io.Writer) (err error) {
	weight := 0
	for _, c := range races {
		weight += c.weight
	}
	f := new(field)
	defer func() { err = errors.Join(err, f.close()) }()
	for i, c := range races {
		if i == 0 || c.group != races[i-1].group {
			if err := f.close(); err != nil {
				return err
			}
			next, err := enter(c.group)
			if err != nil {
				return fmt.Errorf("%v: %w", c, err)
			}
			f = next
			if err := r.Note(out, f.notes...); err != nil {
				return err
			}
		}
		budget := max(0, time.Until(deadline)) * time.Duration(c.weight) / time.Duration(weight)
		weight -= c.weight
		result, err := f.race(c, o.sample, measure.Options{Rounds: o.rounds, Budget: budget, Seed: uint64(i)})
		if err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
		if err := result.WriteTable(out); err != nil {
			return err
		}
		r.Races = append(r.Races, result)
	}
	return nil
}

// race times all contenders on the same mini-batches, so many that the fastest takes
// at least the given time per sample.
func (f *field) race(r race, sample time.Duration, o measure.Options) (report.Race, error) {
	batches := f.batches(r.batch)
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
		measured := measure.Case{Name: c.Name(), Run: func() error {
			for i := range count {
				if _, err := do(batches[i%len(batches)]); err != nil {
					return err
				}
			}
			return nil
		}}
		if elsewhere, ok := c.(interface{ CPU() time.Duration }); ok {
			measured.CPU = elsewhere.CPU
		}
		cases = append(cases, measured)
	}
	samples, err := measure.Race(cases, o)
	if err != nil {
		return report.Race{}, err
	}
	return f.result(r, batches, count, cases, samples), nil
}

func (f *field) result(r race, batches []*contender.Batch, count int, cases []measure.Case, samples []measure.Samples) report.Race {
	result := report.Race{
		Field: r.field, Model: string(r.model), Mode: r.mode, Trees: f.setting.Corpus.Name, Batch: r.batch, Workers: r.workers,
		Embed: r.embed, Hidden: r.hidden, Sentences: count * r.batch, Clock: "wall",
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
	if r.workers == 1 {
		result.Clock, clock = "cpu", (*measure.Samples).Undisturbed
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
			Elsewhere:      c.CPU != nil,
			Seconds:        clock(s),
		})
	}
	return result
}

// gflop counts the operations of the matrix products of the Tree-LSTM, in 10⁹.
// Backward each product makes two: for the adjoint of its input and for that of its
// weight. It is 0 for other models.
func gflop(r race, leaves, nodes, classes int) float64 {
	if r.model != contender.TreeLSTM {
		return 0
	}
	h := float64(r.hidden)
	products := float64(leaves)*float64(r.embed)*3*h + float64(nodes-leaves)*2*h*5*h + float64(nodes)*h*float64(classes)
	if r.mode == "train" {
		products *= 3
	}
	return 2 * products / 1e9
}
