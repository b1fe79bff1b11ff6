package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/train"
)

// model is a network with its vocabulary, ready to run.
type model struct {
	config     config
	vocabulary *data.Vocabulary
	classify   *classifier
	session    *exec.Session
}

// newModel makes a model with initial weights, whose session has the options and the
// configuration's seed. The caller closes the session.
func newModel(c config, v *data.Vocabulary, o exec.Options) (*model, error) {
	p, classify, err := c.program(v.Len())
	if err != nil {
		return nil, err
	}
	o.Seed, o.Deterministic = c.Seed, c.Deterministic
	s, err := exec.New(p, o)
	if err != nil {
		return nil, err
	}
	return &model{c, v, classify, s}, nil
}

// program builds the network for so many words. There is no memory for its weights yet.
func (c config) program(words int) (*graph.Program, *classifier, error) {
	n, err := findNetwork(c.Model)
	if err != nil {
		return nil, nil, err
	}
	m := graph.NewModule(n.name)
	classify := n.build(m, c, words)
	p, err := m.Build()
	return p, classify, err
}

// describes reports in what the weights in the file of a path are not those of the
// network that c asks for. What c says may be anything: no memory is taken for it.
func (c config) describes(f *train.File, path string, words int) error {
	p, _, err := c.program(words)
	if err != nil {
		return fmt.Errorf("%s: %w: its configuration: %w", path, train.ErrCheckpoint, err)
	}
	return f.Compare(p)
}

// loadModel makes the model that is in a file.
func loadModel(path string, o exec.Options) (m *model, err error) {
	f, err := train.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("opening the model: %w\n(treelstm train makes one; -model names its file)", err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var c config
	if err := f.Config(&c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w: its configuration: %w", path, train.ErrCheckpoint, err)
	}
	var v data.Vocabulary
	if err := v.UnmarshalText(f.Vocabulary()); err != nil {
		return nil, fmt.Errorf("%s: vocabulary: %w", path, err)
	}
	if err := c.describes(f, path, v.Len()); err != nil {
		return nil, err
	}
	m, err = newModel(c, &v, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := f.Load(&train.Checkpoint{Params: m.session.Parameters()}); err != nil {
		return nil, errors.Join(err, m.session.Close())
	}
	return m, nil
}

// weights counts the elements of all variables.
func (m *model) weights() int {
	n := 0
	for _, v := range m.session.Program().Variables {
		n += v.Type.Size()
	}
	return n
}

// String describes the model in a line.
func (m *model) String() string {
	c := m.config
	title := c.Model
	if n, err := findNetwork(c.Model); err == nil {
		title = n.title
	}
	return fmt.Sprintf("%s: %s, embedding %d, hidden %d, %s, %s",
		title, count(m.vocabulary.Len(), "word"), c.Embedding, c.Hidden, classes(c.Classes), count(m.weights(), "weight"))
}

// classes counts classes, whose plural is not regular.
func classes(n int) string {
	if n == 1 {
		return "1 class"
	}
	return fmt.Sprintf("%d classes", n)
}

// newOptimizer returns the optimiser that the configuration names. Rows of word vectors
// change only in batches that use them: with all rows a step would take several times
// as long.
func newOptimizer(c config) (train.Optimizer, error) {
	switch c.Optimizer {
	case "sgd":
		return &train.SGD{LearningRate: c.LearningRate, L2: c.L2, LazyRows: true}, nil
	case "momentum":
		return &train.SGD{LearningRate: c.LearningRate, Momentum: 0.9, L2: c.L2, LazyRows: true}, nil
	case "adagrad":
		o := train.NewAdagrad(c.LearningRate)
		o.L2, o.LazyRows = c.L2, true
		return o, nil
	case "adam":
		o := train.NewAdam(c.LearningRate)
		o.L2, o.LazyRows = c.L2, true
		return o, nil
	}
	return nil, fmt.Errorf("-optimizer %q: want sgd, momentum, adagrad or adam", c.Optimizer)
}
