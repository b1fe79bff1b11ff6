package contender

import (
	"context"
	"time"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

// call is an execution of one graph for some inputs.
type call struct {
	graph  *graph.Graph
	inputs [][]exec.Array
}

// frond is a program that a session executes.
type frond struct {
	name    string
	session *exec.Session
	// of says what is to be executed for a mini-batch. Preparing it once for each
	// is no part of a race.
	of      func(*Batch) (call, error)
	adagrad *train.Adagrad
	planned time.Duration // how long it took to plan the program
}

// newFrond plans the program, for the number of workers of the setting and from the
// parameters that all contenders start with.
func newFrond(name string, s Setting, p *graph.Program, o exec.Options, of func(*Batch) (call, error)) (*frond, error) {
	o.Workers, o.Parameters = s.Workers, exec.NewParameters(p, seed)
	begin := time.Now()
	session, err := exec.New(p, o)
	planned := time.Since(begin)
	if err != nil {
		return nil, err
	}
	adagrad := train.NewAdagrad(rate)
	adagrad.Epsilon = eps
	return &frond{name, session, of, adagrad, planned}, nil
}

// buildFrond builds the module first.
func buildFrond(name string, s Setting, m *graph.Module, o exec.Options, of func(*Batch) (call, error)) (Contender, error) {
	p, err := m.Build()
	if err != nil {
		return nil, err
	}
	f, err := newFrond(name, s, p, o, of)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// NewRecursive returns one of the library's models, a subgraph that invokes itself,
// executed with the given options; Workers, Seed and Parameters are set here.
func NewRecursive(name string, s Setting, o exec.Options) (Contender, error) {
	m := graph.NewModule("benchmark")
	g := s.Model.add(m, s)
	return buildFrond(name, s, m, o, func(b *Batch) (call, error) { return call{g, b.inputs}, nil })
}

// Model is one of the library's models of binary trees.
type Model string

// The models. Those without an embedding of their own size use Setting.Hidden.
const (
	TreeLSTM Model = "treelstm"
	TreeRNN  Model = "treernn"
	RNTN     Model = "rntn"
)

func (model Model) add(m *graph.Module, s Setting) *graph.Graph {
	rnn := models.TreeRNNConfig{Vocab: s.Corpus.Vocab, Hidden: s.Hidden, Classes: s.Corpus.Classes}
	switch model {
	case TreeRNN:
		return models.NewTreeRNN(m, rnn).Graph()
	case RNTN:
		return models.NewRNTN(m, rnn).Graph()
	}
	return models.NewTreeLSTM(m, models.TreeLSTMConfig{
		Vocab: s.Corpus.Vocab, Embed: s.Embed, Hidden: s.Hidden, Classes: s.Corpus.Classes,
	}).Graph()
}

func (f *frond) Name() string { return f.name }
func (f *frond) Close() error { return f.session.Close() }

// Stats returns what the session has executed.
func (f *frond) Stats() exec.Stats { return f.session.Stats() }

// ResetStats starts counting anew.
func (f *frond) ResetStats() { f.session.ResetStats() }

func (f *frond) Infer(b *Batch) (float64, error) {
	c, err := f.of(b)
	if err != nil {
		return 0, err
	}
	r, err := f.session.RunWith(context.Background(), c.graph, c.inputs, exec.RunOptions{})
	if err != nil {
		return 0, err
	}
	return r.Loss, nil
}

func (f *frond) Train(b *Batch) (float64, error) {
	c, err := f.of(b)
	if err != nil {
		return 0, err
	}
	onDevice := f.session.Options().Device != nil
	r, err := f.session.Gradients(context.Background(), c.graph, c.inputs, exec.GradOptions{OnDevice: onDevice})
	if err != nil {
		return 0, err
	}
	if onDevice {
		return r.Loss, f.adagrad.StepOnDevice(r.DeviceGradients)
	}
	return r.Loss, f.adagrad.Step(f.session.Parameters(), r.Gradients)
}
