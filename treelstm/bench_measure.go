package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
)

// measurement is the speed of one way to use a model.
type measurement struct {
	What    string `json:"what"` // training or inference
	Batch   int    `json:"batch"`
	Workers int    `json:"workers"`
	// TreesPerSecond is the median of the rounds.
	TreesPerSecond float64   `json:"trees_per_second"`
	NodesPerSecond float64   `json:"nodes_per_second"`
	Rounds         []float64 `json:"rounds"`         // trees per second, in the order of time
	RowsPerBatch   float64   `json:"rows_per_batch"` // frames that were executed together, on average
	PeakBytes      int64     `json:"peak_bytes"`     // largest memory of one worker's engine
}

const benchHeading = "           batch  workers   trees/s  spread    nodes/s  ms/batch  rows/batch  peak MB\n"

// String is a line of the table under benchHeading.
func (m measurement) String() string {
	return fmt.Sprintf("%-9s %6d %8d %9.0f %6.0f%% %10.0f %9.2f %11.0f %8.1f\n", m.What, m.Batch, m.Workers,
		m.TreesPerSecond, 100*m.spread(), m.NodesPerSecond, 1000*float64(m.Batch)/m.TreesPerSecond, m.RowsPerBatch, float64(m.PeakBytes)/1e6)
}

// spread is the largest distance of a round from the median, as a share of that.
func (m measurement) spread() float64 {
	return max(m.TreesPerSecond-slices.Min(m.Rounds), slices.Max(m.Rounds)-m.TreesPerSecond) / m.TreesPerSecond
}

// rounds is the number of parts of a measurement. It is odd, so that one is the median.
const rounds = 5

// bench measures one model with one number of workers.
type bench struct {
	model    *model
	examples []example
	time     time.Duration
}

// inference measures classification of roots.
func (b *bench) inference(ctx context.Context, batch int) (measurement, error) {
	classify, err := exec.BindBatch[example, struct{ Logits []float32 }](b.model.session, b.model.classify)
	if err != nil {
		return measurement{}, err
	}
	return b.measure("inference", batch, func(some []example) error {
		_, err := classify(ctx, some)
		return err
	})
}

// training measures steps of the model's optimiser.
func (b *bench) training(ctx context.Context, batch int) (measurement, error) {
	c := b.model.config
	optimizer, err := newOptimizer(c)
	if err != nil {
		return measurement{}, err
	}
	trainer, err := train.NewTrainer[example](b.model.session, b.model.classify, optimizer, train.Options{Batch: batch, ClipNorm: c.Clip, Seed: c.Seed})
	if err != nil {
		return measurement{}, err
	}
	m, err := b.measure("training", batch, func(some []example) error {
		_, err := trainer.Step(ctx, some)
		return err
	})
	return m, errors.Join(err, trainer.Release()) // the session is used on
}

// measure calls do with batch after batch, first for as long as a round without looking
// at the clock's verdict: memory grows and caches fill.
func (b *bench) measure(what string, batch int, do func([]example) error) (measurement, error) {
	m := measurement{What: what, Batch: batch}
	next := b.batches(batch)
	nodes, trees := 0, 0
	for round := -1; round < rounds; round++ {
		if round == 0 {
			b.model.session.ResetStats()
			nodes, trees = 0, 0
		}
		before, begun := trees, time.Now()
		for trees == before || time.Since(begun) < b.time/(rounds+1) {
			some := next()
			if err := do(some); err != nil {
				return m, err
			}
			trees += len(some)
			for _, e := range some {
				nodes += len(e.Label)
			}
		}
		if round >= 0 {
			m.Rounds = append(m.Rounds, float64(trees-before)/time.Since(begun).Seconds())
		}
	}
	m.TreesPerSecond = slices.Sorted(slices.Values(m.Rounds))[rounds/2]
	m.NodesPerSecond = m.TreesPerSecond * float64(nodes) / float64(trees)
	stats := b.model.session.Stats()
	m.RowsPerBatch, m.PeakBytes = stats.RowsPerBatch(), stats.PeakBytes
	return m, nil
}

// batches returns a function that gives batch examples at a time, all of them in turn,
// again and again.
func (b *bench) batches(batch int) func() []example {
	at := 0
	some := make([]example, batch)
	return func() []example {
		for i := range some {
			some[i] = b.examples[at]
			at = (at + 1) % len(b.examples)
		}
		return some
	}
}
