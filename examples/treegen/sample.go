package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

const batch = 50

// perplexity is exp(-log p of all trees / their number of words), the edges included.
func (g *generator) perplexity(ctx context.Context, trees []tree) (float64, error) {
	nll, count := 0.0, 0
	_, err := train.Evaluate(ctx, g.session, g.model.Score, slices.Values(trees), batch, func(t tree, o train.Outcome) {
		nll += o.Loss
		count += len(t.Word)
	})
	return math.Exp(nll / float64(count)), err
}

// growth is an input of Generate: see models.Growth.
type growth struct{ Noise []float32 }

// grow returns a sample for every noise.
func (g *generator) grow(ctx context.Context, noise func(yield func(growth) bool)) (trees []tree, err error) {
	_, err = train.Evaluate(ctx, g.session, g.model.Generate, noise, batch, func(_ growth, o train.Outcome) {
		trees = append(trees, treeOf(o.Outputs))
	})
	return trees, err
}

// sample lets the model write trees, prints some and says what they are like.
func (g *generator) sample(ctx context.Context, w io.Writer, c config, s corpus) error {
	silent := growth{make([]float32, c.bound*(g.vocabulary.Len()+3))}
	probable, err := g.grow(ctx, slices.Values([]growth{silent}))
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "the most probable choice everywhere:", g.text(probable[0]))
	rng := rand.New(rand.NewPCG(c.seed, 2))
	trees, err := g.grow(ctx, func(yield func(growth) bool) {
		for range c.samples {
			if !yield(growth{models.SampleNoise(rng, c.bound, g.vocabulary.Len())}) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	for i, t := range trees[:min(c.show, len(trees))] {
		fmt.Fprintf(w, "sample %d: %s\n", i+1, g.text(t))
	}
	return g.describe(w, c, s, trees)
}

// describe counts the samples that are valid, and new.
func (g *generator) describe(w io.Writer, c config, s corpus, trees []tree) error {
	known := map[string]bool{}
	for _, p := range s.train {
		known[p.String()] = true
	}
	valid, unseen, nodes := 0, 0, 0
	for _, t := range trees {
		nodes += len(t.Word)
		roots := t.roots(g.vocabulary)
		right := c.data != "" || len(roots) == 1 && roots[0].valid()
		if right {
			valid++
		}
		if right && !known[g.text(t)] {
			unseen++
		}
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(len(trees)) }
	if c.data == "" {
		fmt.Fprintf(w, "of %d samples %.1f %% are valid; ", len(trees), share(valid))
	}
	_, err := fmt.Fprintf(w, "%.1f %% are trees not trained with; %.1f words on average\n", share(unseen), float64(nodes)/float64(len(trees)))
	return err
}

func (g *generator) text(t tree) string {
	var line string
	for i, p := range t.roots(g.vocabulary) {
		if i > 0 {
			line += " | "
		}
		line += p.String()
	}
	return line
}
