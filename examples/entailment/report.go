package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
)

// result is how a model does on one test.
type result struct {
	operators int
	pairs     int
	majority  float64 // share of the most frequent relation
	accuracy  float64
}

// report measures the model on the pairs held out and on every test and prints a table.
func report(ctx context.Context, w io.Writer, s *exec.Session, model *network, sets *sets) ([]result, error) {
	dev, err := measure(ctx, s, model, test{pairs: sets.dev})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "development: %d pairs, accuracy %.2f%%\n", dev.pairs, 100*dev.accuracy)
	fmt.Fprintf(w, "%9s  %-9s  %5s  %8s  %8s\n", "operators", "pairs of", "pairs", "majority", "accuracy")
	var results []result
	for _, t := range sets.tests {
		r, err := measure(ctx, s, model, t)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(w, "%9d  %-9s  %5d  %7.1f%%  %7.1f%%\n", r.operators, t.source, r.pairs, 100*r.majority, 100*r.accuracy)
		results = append(results, r)
	}
	return results, nil
}

func measure(ctx context.Context, s *exec.Session, model *network, t test) (result, error) {
	right := 0
	var frequency [data.LogicClasses]int
	_, err := train.Evaluate(ctx, s, model, slices.Values(t.pairs), 500, func(p pair, o train.Outcome) {
		frequency[p.Relation]++
		if logits := o.Outputs[0].F; logits[p.Relation] == slices.Max(logits) {
			right++
		}
	})
	n := len(t.pairs)
	return result{
		operators: t.operators, pairs: n,
		majority: float64(slices.Max(frequency[:])) / float64(n),
		accuracy: float64(right) / float64(n),
	}, err
}
