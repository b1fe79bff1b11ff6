// Treegen trains a top-down Tree-LSTM as a distribution over dependency trees, and lets
// it write some. The trees come from a small grammar, by which one can tell whether
// what the model writes is right, or from the SICK data.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

type config struct {
	data     string // directory of the SICK data; "" for the grammar
	examples int
	test     int
	samples  int
	show     int // samples to print
	bound    int // nodes of a tree
	hidden   int
	epochs   int
	rate     float64
	seed     uint64
}

func main() {
	var c config
	flag.StringVar(&c.data, "data", "", "directory of the SICK data, with the directories train and test; empty for the grammar")
	flag.IntVar(&c.examples, "examples", 10000, "trees of the grammar to train with")
	flag.IntVar(&c.test, "test", 1000, "trees of the grammar to test with")
	flag.IntVar(&c.samples, "samples", 1000, "trees to grow")
	flag.IntVar(&c.show, "show", 5, "samples to print")
	flag.IntVar(&c.bound, "bound", 500, "nodes of a tree, at most; see models.Growth")
	flag.IntVar(&c.hidden, "hidden", 64, "elements of states and word vectors")
	flag.IntVar(&c.epochs, "epochs", 10, "passes over the trees")
	flag.Float64Var(&c.rate, "rate", 0.003, "learning rate of Adam")
	flag.Uint64Var(&c.seed, "seed", 1, "of trees, weights, order and samples")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	if err := run(ctx, os.Stdout, c); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f s\n", time.Since(start).Seconds())
}

// corpus is the trees to train and to test with.
type corpus struct {
	train, test []*phrase
	floor       float64 // -log p per word of the test trees by the grammar, 0 if unknown
}

func load(c config) (s corpus, err error) {
	if c.data != "" {
		var errTest error
		s.train, err = readSICK(filepath.Join(c.data, "train"))
		s.test, errTest = readSICK(filepath.Join(c.data, "test"))
		s.test = without(s.test, s.train)
		return s, errors.Join(err, errTest)
	}
	g := &grammar{rng: rand.New(rand.NewPCG(c.seed, 1))}
	s.train, _ = draw(g, c.examples)
	s.test, s.floor = draw(g, c.test)
	return s, nil
}

// generator is a model with what it needs to read and write.
type generator struct {
	model      models.TDTreeLSTM
	session    *exec.Session
	vocabulary *data.Vocabulary
}

func run(ctx context.Context, w io.Writer, c config) error {
	s, err := load(c)
	if err != nil {
		return err
	}
	g := generator{vocabulary: data.BuildVocabulary(words(s.train), data.VocabularyOptions{NoUnknown: c.data == "", MinCount: 2})}
	m := graph.NewModule("treegen")
	g.model = models.NewTDTreeLSTM(m, models.TDTreeLSTMConfig{Vocab: g.vocabulary.Len(), Embed: c.hidden, Hidden: c.hidden})
	program, err := m.Build()
	if err != nil {
		return err
	}
	g.session, err = exec.New(program, exec.Options{Seed: c.seed, Deterministic: true})
	if err != nil {
		return err
	}
	defer g.session.Close()
	return g.learn(ctx, w, c, s)
}

func (g *generator) learn(ctx context.Context, w io.Writer, c config, s corpus) error {
	fmt.Fprintf(w, "%d trees to train, %d to test, %d words\n", len(s.train), len(s.test), g.vocabulary.Len())
	if s.floor > 0 {
		fmt.Fprintf(w, "the grammar itself has a perplexity of %.2f per word\n", math.Exp(s.floor))
	}
	test := newTrees(s.test, g.vocabulary)
	report := func(epoch int) error {
		perplexity, err := g.perplexity(ctx, test)
		fmt.Fprintf(w, "epoch %2d: perplexity %.2f per word\n", epoch, perplexity)
		return err
	}
	if err := report(0); err != nil {
		return err
	}
	options := train.Options{Batch: 32, ClipNorm: 5, Seed: c.seed}
	trainer, err := train.NewTrainer[tree](g.session, g.model.Score, train.NewAdam(c.rate), options)
	if err != nil {
		return err
	}
	err = trainer.Fit(ctx, trainer.Shuffled(newTrees(s.train, g.vocabulary)), train.Plan{Epochs: c.epochs, OnEpoch: func(e train.EpochStats) error {
		return report(e.Epoch)
	}})
	if err != nil {
		return err
	}
	return g.sample(ctx, w, c, s)
}
