package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// model is a Tree-LSTM that evaluates ListOps expressions.
type model struct {
	words   *data.Vocabulary
	graph   *recursion.SubGraph[models.BinaryTree, models.Scores]
	session *exec.Session
}

// example is what the model takes, field by field.
type example struct{ Word, Left, Right, Label []int32 }

// newModel returns a model with random weights. The caller closes its session.
func newModel(words *data.Vocabulary, hidden int, o exec.Options) (*model, error) {
	m := graph.NewModule("listops")
	g := models.NewTreeLSTM(m, models.TreeLSTMConfig{
		Vocab: words.Len(), Embed: hidden, Hidden: hidden, Classes: data.ListOpsClasses,
	})
	program, err := m.Build()
	if err != nil {
		return nil, err
	}
	session, err := exec.New(program, o)
	if err != nil {
		return nil, err
	}
	return &model{words, g, session}, nil
}

// example turns a tree into what the model takes.
func (m *model) example(t *data.Tree) example {
	return example{Word: m.words.IDs(t), Left: t.Left, Right: t.Right, Label: t.Label}
}

// expressions generates examples of what the server is asked.
func expressions(n int) ([]*data.Tree, error) {
	return data.GenerateListOps(1, n, data.ListOpsOptions{MaxDepth: 5, MaxLength: 50})
}

// vocabulary has no place for unknown words: they are the client's mistake.
func vocabulary(trees []*data.Tree) *data.Vocabulary {
	return data.BuildVocabulary(data.Tokens(trees), data.VocabularyOptions{NoUnknown: true})
}

// open loads the model from a file, or trains one and saves it when there is no file.
func open(ctx context.Context, path string, hidden int, o exec.Options, log *slog.Logger) (*model, error) {
	trees, err := expressions(5000)
	if err != nil {
		return nil, err
	}
	m, err := newModel(vocabulary(trees), hidden, o)
	if err != nil {
		return nil, err
	}
	err = m.load(path)
	if errors.Is(err, fs.ErrNotExist) {
		log.Info("training", "examples", len(trees), "file", path)
		if err = m.train(ctx, trees, log); err == nil {
			err = train.Save(path, m.checkpoint())
		}
	}
	if err != nil {
		return nil, errors.Join(err, m.session.Close())
	}
	m.session.ResetStats() // which are about requests from here on
	return m, nil
}

// checkpoint names what a file keeps; loading compares the vocabularies.
func (m *model) checkpoint() *train.Checkpoint {
	text, _ := m.words.MarshalText() // its error is always nil
	return &train.Checkpoint{Params: m.session.Parameters(), Vocabulary: text}
}

func (m *model) load(path string) error {
	f, err := train.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Load(m.checkpoint()), f.Close())
}

func (m *model) train(ctx context.Context, trees []*data.Tree, log *slog.Logger) error {
	examples := make([]example, len(trees))
	for i, t := range trees {
		examples[i] = m.example(t)
	}
	trainer, err := train.NewTrainer[example](m.session, m.graph, train.NewAdagrad(0.05), train.Options{Batch: 25, ClipNorm: 5})
	if err != nil {
		return err
	}
	return trainer.Fit(ctx, trainer.Shuffled(examples), train.Plan{Epochs: 5, OnEpoch: func(s train.EpochStats) error {
		log.Info("trained", "epoch", s.Epoch, "loss", s.Loss, "rate", s.Rate())
		return nil
	}})
}
