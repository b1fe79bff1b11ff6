// Treetosequence trains a network to write the tree of an arithmetic expression as one
// does by hand: (* (+ 1 2) (- 3 4)) as (1+2)*(3-4), with brackets only where they are
// needed. What it writes, and when it ends, is decided word by word.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

type config struct {
	examples int
	test     int
	digits   int // of an expression, at most
	embed    int
	hidden   int
	epochs   int
	rate     float64
	seed     uint64
}

func main() {
	var c config
	flag.IntVar(&c.examples, "examples", 20000, "expressions to train with")
	flag.IntVar(&c.test, "test", 1000, "expressions to test with")
	flag.IntVar(&c.digits, "digits", 6, "digits of an expression, at most")
	flag.IntVar(&c.embed, "embed", 32, "elements of word vectors")
	flag.IntVar(&c.hidden, "hidden", 96, "elements of states")
	flag.IntVar(&c.epochs, "epochs", 10, "passes over the expressions")
	flag.Float64Var(&c.rate, "rate", 0.003, "learning rate of Adam")
	flag.Uint64Var(&c.seed, "seed", 1, "of expressions, weights and order")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	if err := run(ctx, os.Stdout, c); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f s\n", time.Since(start).Seconds())
}

func run(ctx context.Context, w io.Writer, c config) error {
	m := graph.NewModule("treetosequence")
	model := models.NewTreeToSequence(m, models.TreeToSequenceConfig{
		Vocab: len(treeWords), Embed: c.embed, Hidden: c.hidden, Outputs: len(sequenceWords),
	})
	program, err := m.Build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{Seed: c.seed, Deterministic: true})
	if err != nil {
		return err
	}
	defer session.Close()
	options := train.Options{Batch: 32, ClipNorm: 5, Seed: c.seed}
	trainer, err := train.NewTrainer[expression](session, model.Train, train.NewAdam(c.rate), options)
	if err != nil {
		return err
	}
	trained, tested := split(c.seed, c.digits, c.examples, c.test)
	fmt.Fprintf(w, "%d expressions to train, %d others to test\n", len(trained), len(tested))
	err = trainer.Fit(ctx, trainer.Shuffled(trained), train.Plan{Epochs: c.epochs, OnEpoch: func(s train.EpochStats) error {
		r, err := write(ctx, session, model, tested)
		fmt.Fprintf(w, "epoch %2d: loss %6.3f, %v\n", s.Epoch, s.Loss, r)
		return err
	}})
	if err != nil {
		return err
	}
	return show(ctx, w, session, model, tested[:min(5, len(tested))])
}

// accuracy counts what was right.
type accuracy struct{ words, rightWords, sequences, right int }

func (a accuracy) String() string {
	percent := func(part, all int) float64 { return 100 * float64(part) / float64(all) }
	return fmt.Sprintf("words %5.1f %%, whole sequences %5.1f %%", percent(a.rightWords, a.words), percent(a.right, a.sequences))
}

// write lets the model write the expressions by itself. A word is right when those
// before were given and it is the most probable; a sequence when all of it, written by
// the model alone, is.
func write(ctx context.Context, s *exec.Session, model models.TreeToSequence, all []expression) (a accuracy, err error) {
	const batch = 100
	_, err = train.Evaluate(ctx, s, model.Decode, slices.Values(all), batch, func(e expression, o train.Outcome) {
		a.sequences++
		if slices.Equal(o.Outputs[0].I, e.Target) {
			a.right++
		}
	})
	if err != nil {
		return a, err
	}
	_, err = train.Evaluate(ctx, s, model.Train, slices.Values(all), batch, func(e expression, o train.Outcome) {
		a.words += len(e.Target)
		a.rightWords += int(o.Outputs[0].I[0])
	})
	return a, err
}

// show prints what the model makes of some expressions.
func show(ctx context.Context, w io.Writer, s *exec.Session, model models.TreeToSequence, some []expression) error {
	decode, err := exec.BindBatch[expression, []int32](s, model.Decode)
	if err != nil {
		return err
	}
	written, err := decode(ctx, some)
	if err != nil {
		return err
	}
	for i, e := range some {
		fmt.Fprintf(w, "%s is written %s\n", e.Tree.prefix(e.Tree.root()), text(written[i]))
	}
	return nil
}
