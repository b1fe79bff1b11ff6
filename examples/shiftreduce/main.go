// Shiftreduce trains a SPINN, which parses a sentence and computes its meaning at the
// same time, on ListOps: from the tokens of an expression such as [MAX 2 [MIN 4 7 ] ]
// it is to find the brackets, and the value.
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

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

type config struct {
	examples  int // for training
	test      int
	maxDepth  int // lists within each other
	maxLength int // tokens
	hidden    int
	track     int
	epochs    int
	rate      float64
	seed      uint64
}

func main() {
	var c config
	flag.IntVar(&c.examples, "examples", 20000, "expressions to train with")
	flag.IntVar(&c.test, "test", 1000, "expressions to test with")
	flag.IntVar(&c.maxDepth, "depth", 4, "lists within each other, at most")
	flag.IntVar(&c.maxLength, "length", 30, "tokens of an expression, at most")
	flag.IntVar(&c.hidden, "hidden", 64, "elements of the state of a node")
	flag.IntVar(&c.track, "track", 32, "elements of the state of the tracking LSTM")
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
	splits, err := data.GenerateListOpsSplits(c.seed, c.examples, 0, c.test, data.ListOpsOptions{MaxDepth: c.maxDepth, MaxLength: c.maxLength})
	if err != nil {
		return err
	}
	vocabulary := data.BuildVocabulary(data.Tokens(splits.Train), data.VocabularyOptions{})
	m := graph.NewModule("shiftreduce")
	model := models.NewSPINN(m, models.SPINNConfig{
		Vocab: vocabulary.Len(), Embed: c.hidden, Hidden: c.hidden, Track: c.track, Classes: data.ListOpsClasses,
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
	trainer, err := train.NewTrainer[sentence](session, model.Train, train.NewAdam(c.rate), train.Options{Batch: 32, ClipNorm: 5, Seed: c.seed})
	if err != nil {
		return err
	}
	test := sentences(splits.Test, vocabulary)
	report := func(s train.EpochStats) error {
		r, err := parse(ctx, session, model, test)
		if err == nil {
			fmt.Fprintf(w, "epoch %2d: loss %6.3f, %v\n", s.Epoch, s.Loss, r)
		}
		return err
	}
	untrained, err := parse(ctx, session, model, test)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "untrained: %v\n", untrained)
	plan := train.Plan{Epochs: c.epochs, OnEpoch: report}
	if err := trainer.Fit(ctx, trainer.Shuffled(sentences(splits.Train, vocabulary)), plan); err != nil {
		return err
	}
	return show(ctx, w, session, model, vocabulary, splits.Test[0])
}

// show prints how the model parses an expression.
func show(ctx context.Context, w io.Writer, s *exec.Session, model models.SPINN, v *data.Vocabulary, t *data.Tree) error {
	result, err := s.Run(ctx, model.Parse.Graph(), [][]exec.Array{{{Shape: []int{len(t.Leaves())}, I: newSentence(t, v).Word}}})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s = %d\n", bracket(t.Words(), result.Tables[0]["transition"].Ints), largest(result.Outputs[0][0].F))
	return nil
}
