package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// learner is a model with what it takes to train and to ask it.
type learner[I any] struct {
	model   *recursion.SubGraph[I, models.Scores]
	session *exec.Session
	adam    *train.Adam
	trainer *train.Trainer[example]
}

func newLearner[I any](m *graph.Module, model *recursion.SubGraph[I, models.Scores], seed uint64, rate float64) (*learner[I], error) {
	program, err := m.Build()
	if err != nil {
		return nil, err
	}
	session, err := exec.New(program, exec.Options{Seed: seed, Deterministic: true})
	if err != nil {
		return nil, err
	}
	adam := train.NewAdam(rate)
	trainer, err := train.NewTrainer[example](session, model, adam, train.Options{Batch: 25, ClipNorm: 5, Seed: seed})
	return &learner[I]{model, session, adam, trainer}, err
}

// decay is what every epoch does to the learning rate.
const decay = 0.8

// fit trains and returns the share of the test's words that the model tells after the
// epoch that is best on the development set.
func (l *learner[I]) fit(ctx context.Context, w io.Writer, data *corpus, epochs int) (float64, error) {
	best, test := 0.0, 0.0
	evaluate := func(ctx context.Context) (float64, error) {
		score, err := l.accuracy(ctx, data.dev)
		if err == nil && score > best {
			best = score
			test, err = l.accuracy(ctx, data.test)
		}
		return score, err
	}
	report := func(e train.EpochStats) error {
		fmt.Fprintf(w, "%s, epoch %d: loss %.3f, development %.1f%%, %.0f functions/s in training\n",
			l.model.Graph().Name, e.Epoch, e.Loss, 100*e.Score, e.Rate())
		l.adam.LearningRate *= decay
		return nil
	}
	plan := train.Plan{Epochs: epochs, Evaluate: evaluate, OnEpoch: report}
	return test, l.trainer.Fit(ctx, l.trainer.Shuffled(data.train), plan)
}

func (l *learner[I]) accuracy(ctx context.Context, set []example) (float64, error) {
	right := 0
	_, err := train.Evaluate(ctx, l.session, l.model, slices.Values(set), 100, func(e example, out train.Outcome) {
		logits := out.Outputs[0].F
		if slices.Index(logits, slices.Max(logits)) == int(e.Class) {
			right++
		}
	})
	return float64(right) / float64(len(set)), err
}

// weigh runs functions one by one, for the result and then with all gradients, and says
// what that takes. Every function gets a fresh session, which holds no memory yet.
func (l *learner[I]) weigh(ctx context.Context, w io.Writer, functions []example) error {
	encode, err := exec.Encoder[example](l.model)
	if err != nil {
		return err
	}
	for _, e := range functions {
		inputs, err := encode(e)
		if err != nil {
			return err
		}
		session, err := exec.New(l.session.Program(), exec.Options{Parameters: l.session.Parameters()})
		if err != nil {
			return err
		}
		defer session.Close()
		start := time.Now()
		if _, err := session.Run(ctx, l.model.Graph(), [][]exec.Array{inputs}); err != nil {
			return err
		}
		result, memory := time.Since(start), session.Stats().PeakBytes
		start = time.Now()
		if _, err := session.Gradients(ctx, l.model.Graph(), [][]exec.Array{inputs}, exec.GradOptions{}); err != nil {
			return err
		}
		stats := session.Stats()
		fmt.Fprintf(w, "%s: %d nodes: result in %.0f ms and %.1f MB, gradient in %.0f ms and %.1f MB, %.0f frames per batch\n",
			e.name, len(e.Tree.Word), result.Seconds()*1e3, float64(memory)/1e6,
			time.Since(start).Seconds()*1e3, float64(stats.PeakBytes)/1e6, stats.RowsPerBatch())
	}
	return nil
}
