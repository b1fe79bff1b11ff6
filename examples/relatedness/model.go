package main

import (
	"context"
	"slices"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// model is the network with its weights.
type model struct {
	graph     *recursion.SubGraph[models.SentencePair, graph.Value]
	session   *exec.Session
	embedding *graph.Variable
	best      [][]float32 // the weights that keep has copied
}

// newModel makes the network with its initial weights. The caller closes the session.
func newModel(s settings, v *data.Vocabulary, vectors *data.Embedding) (*model, error) {
	embed := s.embed
	if vectors != nil {
		embed = vectors.Dim
	}
	module := graph.NewModule("relatedness")
	m := &model{graph: models.NewChildSum(module, models.ChildSumConfig{
		Vocab: v.Len(), Embed: embed, Hidden: s.hidden, Similarity: s.compare, Classes: classes, FixedWords: s.fixed,
	})}
	program, err := module.Build()
	if err != nil {
		return nil, err
	}
	for _, variable := range program.Variables {
		if variable.Name == "E" {
			m.embedding = variable
		}
	}
	m.session, err = exec.New(program, exec.Options{Seed: s.seed, Workers: s.workers, Deterministic: true})
	if err != nil || vectors == nil {
		return m, err
	}
	return m, m.session.Parameters().Set(m.embedding, vectors.Rows)
}

// measure compares the scores that the network expects, Σ k pk, with those of people.
func (m *model) measure(ctx context.Context, pairs []pair) (quality, error) {
	var got, want []float64
	_, err := train.Evaluate(ctx, m.session, m.graph, slices.Values(pairs), 200, func(p pair, o train.Outcome) {
		expected := 0.0
		for k, probability := range o.Outputs[0].F {
			expected += float64(k+1) * float64(probability)
		}
		got, want = append(got, expected), append(want, float64(p.Score))
	})
	return compare(got, want), err
}

// keep copies the weights, restore puts the copy back.
func (m *model) keep() {
	m.best = nil
	m.session.Parameters().Read(func(values [][]float32) {
		for _, v := range values {
			m.best = append(m.best, slices.Clone(v))
		}
	})
}

func (m *model) restore() {
	m.session.Parameters().Update(func(values [][]float32) {
		for i, v := range m.best {
			copy(values[i], v)
		}
	})
}

func newTrainer(m *model, s settings) (*train.Trainer[pair], error) {
	return train.NewTrainer[pair](m.session, m.graph, optimizer(), train.Options{Batch: batch, Seed: s.seed})
}

// optimizer returns that of the paper. L2 shrinks a word vector in the steps only that
// use it: LazyRows.
func optimizer() train.Optimizer {
	adagrad := train.NewAdagrad(learningRate)
	adagrad.L2, adagrad.LazyRows = l2, true
	return adagrad
}
