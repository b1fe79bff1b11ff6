package models_test

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/benchmarks/measure"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/train"
)

var speed = flag.Bool("speed", false, "measure the models of docs/models.md")

const (
	speedBatch   = 25
	speedBatches = 4
)

// TestSpeed prints the speeds of docs/models.md: sentences per second of one core, in
// steps of 25 sentences.
func TestSpeed(t *testing.T) {
	if !*speed {
		t.Skip("takes a minute; run it with -speed")
	}
	sentences := corpus.GenerateSentences(speedBatch * speedBatches)
	var cases []measure.Case
	for _, l := range listedModels {
		cases = append(cases, l.speedCases(t, sentences)...)
	}
	samples, err := measure.Race(cases, measure.Options{Rounds: 15, Budget: 40 * time.Second})
	require.NoError(t, err)
	for i, c := range cases {
		median := measure.Quantile(samples[i].Undisturbed(), 0.5)
		t.Logf("%-30s %8.0f sentences/s", c.Name, speedBatch*speedBatches/median)
	}
}

// speedCases are training, with Adagrad, and inference.
func (l *listed) speedCases(t *testing.T, sentences *corpus.Corpus) []measure.Case {
	t.Helper()
	ctx := context.Background()
	m := graph.NewModule(l.name)
	g := l.build(m)
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, exec.Options{Workers: 1, Seed: 1})
	require.NoError(t, err)
	inputs := l.inputs(sentences)
	optimizer := train.NewAdagrad(0.01)
	eachBatch := func(do func(batch [][]exec.Array) error) func() error {
		return func() error {
			for i := range speedBatches {
				if err := do(inputs[i*speedBatch : (i+1)*speedBatch]); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return []measure.Case{
		{Name: l.name + " training", Run: eachBatch(func(batch [][]exec.Array) error {
			r, err := s.Gradients(ctx, g, batch, exec.GradOptions{Seed: 1})
			if err != nil {
				return err
			}
			return optimizer.Step(s.Parameters(), r.Gradients)
		})},
		{Name: l.name + " inference", Run: eachBatch(func(batch [][]exec.Array) error {
			_, err := s.Run(ctx, g, batch)
			return err
		})},
	}
}
