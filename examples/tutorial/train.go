package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// size is the number of elements of every state.
const size = 48

// newSession builds the model for a vocabulary.
func newSession(v *data.Vocabulary) (*exec.Session, *recursion.SubGraph[Tree, graph.Value], error) {
	m := graph.NewModule("tutorial")
	model := newModel(m, v.Len(), size, data.ListOpsClasses)
	program, err := m.Build()
	if err != nil {
		return nil, nil, err // every mistake, with its line
	}
	session, err := exec.New(program, exec.Options{Seed: 1, Deterministic: true})
	return session, model, err
}

// trainModel fits a model to expressions and saves it.
func trainModel(ctx context.Context, w io.Writer, path string) error {
	trainSet, testSet, vocabulary, err := corpus(4000, 500)
	if err != nil {
		return err
	}
	session, model, err := newSession(vocabulary)
	if err != nil {
		return err
	}
	defer session.Close()

	adam := train.NewAdam(0.002)
	trainer, err := train.NewTrainer[tree](session, model, adam, train.Options{Batch: 20, ClipNorm: 5, Seed: 1})
	if err != nil {
		return err
	}
	err = trainer.Fit(ctx, trainer.Shuffled(trainSet), train.Plan{
		Epochs: 6,
		Evaluate: func(ctx context.Context) (float64, error) {
			return accuracy(ctx, session, model, testSet)
		},
		OnEpoch: func(s train.EpochStats) error {
			_, err := fmt.Fprintf(w, "epoch %d: loss %.1f, accuracy %.0f%%\n", s.Epoch, s.Loss, 100*s.Score)
			return err
		},
	})
	if err != nil {
		return err
	}
	text, err := vocabulary.MarshalText()
	if err != nil {
		return err
	}
	return train.Save(path, &train.Checkpoint{Params: session.Parameters(), Vocabulary: text})
}

// accuracy is the share of the trees at whose root the model is right.
func accuracy(ctx context.Context, s *exec.Session, model *recursion.SubGraph[Tree, graph.Value], trees []tree) (float64, error) {
	right := 0
	_, err := train.Evaluate(ctx, s, model, slices.Values(trees), 100, func(t tree, o train.Outcome) {
		scores := o.Outputs[0].F
		if slices.Index(scores, slices.Max(scores)) == int(t.Label[len(t.Label)-1]) {
			right++
		}
	})
	return float64(right) / float64(len(trees)), err
}
