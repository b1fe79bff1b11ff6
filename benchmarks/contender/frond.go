package contender

import (
	"context"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
)

// frond is a program that a session executes, one invocation per tree.
type frond struct {
	name    string
	session *exec.Session
	graph   *graph.Graph
	adagrad *adagrad
}

// NewRecursive returns the library's model, a subgraph that invokes itself, executed
// with the given options; Workers, Seed and Parameters are set here.
func NewRecursive(name string, s Setting, o exec.Options) (Contender, error) {
	m := graph.NewModule("benchmark")
	f := models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: s.Corpus.Vocab, Embed: s.Embed, Hidden: s.Hidden, Classes: s.Corpus.Classes})
	p, err := m.Build()
	if err != nil {
		return nil, err
	}
	o.Workers, o.Seed, o.Parameters = s.Workers, seed, nil
	session, err := exec.New(p, o)
	if err != nil {
		return nil, err
	}
	return &frond{name, session, f.Graph(), newAdagrad(p)}, nil
}

func (f *frond) Name() string { return f.name }
func (f *frond) Close() error { return f.session.Close() }

func (f *frond) Infer(b *Batch) (float64, error) {
	r, err := f.session.Run(context.Background(), f.graph, b.inputs)
	if err != nil {
		return 0, err
	}
	return r.Loss, nil
}

func (f *frond) Train(b *Batch) (float64, error) {
	r, err := f.session.Gradients(context.Background(), f.graph, b.inputs, exec.GradOptions{})
	if err != nil {
		return 0, err
	}
	f.adagrad.step(f.session.Parameters(), r.Gradients)
	return r.Loss, nil
}
