// Entailment learns which of seven relations two statements of propositional logic have,
// such as that one follows from the other, and is then asked about longer statements than
// it has ever seen (Bowman, Potts and Manning 2015, "Recursive Neural Networks Can Learn
// Logical Semantics", section 4).
//
//	go run ./entailment -data DIR
//
// DIR has the files train0, train1, ... and test0, test1, ... of the authors, where the
// number counts the operators of the longer statement. Pairs that are longer still are
// generated, with their relations from truth tables.
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

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/train"
)

// settings are what a run depends on, and nothing else.
type settings struct {
	data      string // directory of the pairs
	model     string // one of the keys of networks
	operators int    // of the longest pairs to train on
	pairs     int    // to train on; 0 for all
	longest   int    // operators of the longest generated pairs
	generated int    // pairs per number of operators
	epochs    int
	sizes     sizes
	rate      float64
	l2        float64
	batch     int
	seed      uint64
	workers   int // 0 for all processors
}

func parse(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("entailment", flag.ContinueOnError)
	flags.StringVar(&s.data, "data", "", "directory with train0, ... and test0, ... (required)")
	flags.StringVar(&s.model, "model", "treerntn", "treernn, treerntn or treelstm")
	flags.IntVar(&s.operators, "operators", 4, "of the longest pairs to train on")
	flags.IntVar(&s.pairs, "pairs", 0, "pairs to train on, 0 for all")
	flags.IntVar(&s.longest, "longest", 12, "operators of the longest generated pairs")
	flags.IntVar(&s.generated, "generated", 2000, "pairs to generate for each number of operators")
	flags.IntVar(&s.epochs, "epochs", 20, "passes over the pairs")
	flags.IntVar(&s.sizes.hidden, "hidden", 25, "elements of word vectors and states")
	flags.IntVar(&s.sizes.compare, "compare", 75, "elements of the layer that compares")
	flags.Float64Var(&s.rate, "rate", 0.003, "learning rate of the first epoch; it falls linearly to a tenth")
	flags.Float64Var(&s.l2, "l2", 3e-4, "the loss includes half of it times the square of every weight")
	flags.IntVar(&s.batch, "batch", 32, "pairs per step")
	flags.Uint64Var(&s.seed, "seed", 1, "of initial values, of the order of the pairs, and of the generated ones")
	flags.IntVar(&s.workers, "workers", 0, "goroutines that compute, 0 for one per processor")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.data == "" || flags.NArg() > 0 {
		return s, fmt.Errorf("want -data and no other arguments, got %q", args)
	}
	return s, nil
}

// run trains, prints the accuracy for each number of operators, and returns it.
func run(ctx context.Context, w io.Writer, s settings) ([]result, error) {
	sets, err := readSets(s)
	if err != nil {
		return nil, err
	}
	module := graph.NewModule("entailment")
	model, err := newNetwork(module, s.model, s.sizes)
	if err != nil {
		return nil, err
	}
	program, err := module.Build()
	if err != nil {
		return nil, err
	}
	session, err := exec.New(program, exec.Options{Seed: s.seed, Workers: s.workers, Deterministic: true})
	if err != nil {
		return nil, err
	}
	defer session.Close()

	adam := train.NewAdam(s.rate)
	adam.L2 = s.l2
	trainer, err := train.NewTrainer[pair](session, model, adam, train.Options{Batch: s.batch, Seed: s.seed})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%s, %d elements: %d pairs of at most %d operators to train on\n", s.model, s.sizes.hidden, len(sets.train), s.operators)
	err = trainer.Fit(ctx, trainer.Shuffled(sets.train), train.Plan{
		Epochs: s.epochs,
		OnEpoch: func(e train.EpochStats) error {
			fmt.Fprintf(w, "epoch %2d: loss %.4f\n", e.Epoch, e.Loss)
			adam.LearningRate = s.rate * (1 - 0.9*float64(e.Epoch)/float64(s.epochs))
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	return report(ctx, w, session, model, sets)
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
