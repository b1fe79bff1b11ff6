// Relatedness learns how much two sentences are related, as people judged it for the
// SICK data (Marelli et al. 2014), with the Child-Sum Tree-LSTM over dependency trees of
// Tai, Socher and Manning (ACL 2015, section 5.2).
//
//	go run ./relatedness -data DIR -vectors glove.txt
//
// DIR has the directories train, dev and test with the files that the authors' program
// prepares: a.toks, a.parents, b.toks, b.parents and sim.txt. The settings are those of
// the paper unless flags say otherwise.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/frondml/frond/train"
)

// settings are what a run depends on, and nothing else.
type settings struct {
	data    string // directory of the pairs
	vectors string // file of word vectors; random ones without
	fixed   bool   // word vectors are not trained
	epochs  int
	pairs   int // to train on; 0 for all
	embed   int // elements of random word vectors
	hidden  int
	compare int // elements of the layer that compares
	seed    uint64
	workers int // 0 for all processors
}

// The settings of the paper that are no flags.
const (
	learningRate = 0.05
	batch        = 25
	l2           = 1e-4
	classes      = 5 // whole scores 1..5
)

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("relatedness", flag.ContinueOnError)
	flags.StringVar(&s.data, "data", "", "directory with train, dev and test (required)")
	flags.StringVar(&s.vectors, "vectors", "", "word vectors in the text format of GloVe; without, they start at random")
	flags.BoolVar(&s.fixed, "fixed", false, "do not train the word vectors")
	flags.IntVar(&s.epochs, "epochs", 10, "passes over the pairs")
	flags.IntVar(&s.pairs, "pairs", 0, "pairs to train on, 0 for all")
	flags.IntVar(&s.embed, "embed", 300, "elements of random word vectors")
	flags.IntVar(&s.hidden, "hidden", 150, "elements of a state")
	flags.IntVar(&s.compare, "compare", 50, "elements of the layer that compares")
	flags.Uint64Var(&s.seed, "seed", 1, "of initial values and of the order of the pairs")
	flags.IntVar(&s.workers, "workers", 0, "goroutines that compute, 0 for one per processor")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.data == "" || flags.NArg() > 0 {
		return s, fmt.Errorf("want -data and no other arguments, got %q", args)
	}
	return s, nil
}

// prepare reads the data, says what it is, and makes the model. The caller closes the
// session of the model.
func prepare(w io.Writer, s settings) (*sets, *model, error) {
	sets, err := readSets(s.data, s.pairs)
	if err != nil {
		return nil, nil, err
	}
	vectors, err := sets.embedding(s)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(w, "SICK: %d pairs to train on, %d for development, %d for the test\n", len(sets.train), len(sets.dev), len(sets.test))
	if vectors != nil {
		oov := vectors.OOV(sets.tokens)
		fmt.Fprintf(w, "word vectors of %d elements: known are %d of %d words, %.1f%% of all tokens\n",
			vectors.Dim, oov.Types-oov.UnknownTypes, oov.Types, 100*(1-oov.TokenRate()))
	}
	m, err := newModel(s, sets.vocabulary, vectors)
	return sets, m, err
}

// run trains, keeps the weights of the epoch with the best Pearson correlation on the
// development set, and measures them on the test set.
func run(ctx context.Context, w io.Writer, s settings) (quality, error) {
	sets, m, err := prepare(w, s)
	if err != nil {
		return quality{}, err
	}
	defer m.session.Close()
	trainer, err := newTrainer(m, s)
	if err != nil {
		return quality{}, err
	}
	var dev quality
	err = trainer.Fit(ctx, trainer.Shuffled(sets.train), train.Plan{
		Epochs: s.epochs,
		Evaluate: func(ctx context.Context) (float64, error) {
			dev, err = m.measure(ctx, sets.dev)
			return dev.pearson, err
		},
		OnEpoch: func(e train.EpochStats) error {
			mark := ""
			if e.Best {
				mark = "  best"
				m.keep()
			}
			fmt.Fprintf(w, "epoch %2d: loss %.4f   development: %v%s\n", e.Epoch, e.Loss, dev, mark)
			return nil
		},
	})
	if err != nil {
		return quality{}, err
	}
	m.restore()
	test, err := m.measure(ctx, sets.test)
	if err != nil {
		return quality{}, err
	}
	fmt.Fprintf(w, "test, weights of epoch %d: %v\n", trainer.Progress().BestEpoch, test)
	return test, nil
}

func main() {
	s, err := parse(os.Args[1:])
	if err != nil {
		if err == flag.ErrHelp {
			return
		}
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	begun := time.Now()
	if _, err := run(ctx, os.Stdout, s); err != nil {
		stop()
		log.Fatal(err)
	}
	fmt.Printf("%.0f seconds\n", time.Since(begun).Seconds())
}
