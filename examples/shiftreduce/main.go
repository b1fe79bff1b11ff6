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

// interpreter is a model with what it needs to read.
type interpreter struct {
	model      models.SPINN
	session    *exec.Session
	vocabulary *data.Vocabulary
}

func run(ctx context.Context, w io.Writer, c config) error {
	splits, err := data.GenerateListOpsSplits(c.seed, c.examples, 0, c.test, data.ListOpsOptions{MaxDepth: c.maxDepth, MaxLength: c.maxLength})
	if err != nil {
		return err
	}
	long, err := data.GenerateListOps(c.seed, c.test, data.ListOpsOptions{MaxDepth: 2 * c.maxDepth, MinLength: c.maxLength + 1, MaxLength: 2 * c.maxLength})
	if err != nil {
		return err
	}
	p := interpreter{vocabulary: data.BuildVocabulary(data.Tokens(splits.Train), data.VocabularyOptions{})}
	m := graph.NewModule("shiftreduce")
	p.model = models.NewSPINN(m, models.SPINNConfig{
		Vocab: p.vocabulary.Len(), Embed: c.hidden, Hidden: c.hidden, Track: c.track, Classes: data.ListOpsClasses,
	})
	program, err := m.Build()
	if err != nil {
		return err
	}
	p.session, err = exec.New(program, exec.Options{Seed: c.seed, Deterministic: true})
	if err != nil {
		return err
	}
	defer p.session.Close()
	if err := p.learn(ctx, w, c, splits); err != nil {
		return err
	}
	r, err := p.parse(ctx, p.sentences(long))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d to %d tokens: %v\n", c.maxLength+1, 2*c.maxLength, r)
	return p.show(ctx, w, splits.Test[0])
}

func (p *interpreter) learn(ctx context.Context, w io.Writer, c config, s data.ListOpsSplits) error {
	options := train.Options{Batch: 32, ClipNorm: 5, Seed: c.seed}
	trainer, err := train.NewTrainer[sentence](p.session, p.model.Train, train.NewAdam(c.rate), options)
	if err != nil {
		return err
	}
	test := p.sentences(s.Test)
	untrained, err := p.parse(ctx, test)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "untrained: %v\n", untrained)
	return trainer.Fit(ctx, trainer.Shuffled(p.sentences(s.Train)), train.Plan{Epochs: c.epochs, OnEpoch: func(e train.EpochStats) error {
		r, err := p.parse(ctx, test)
		if err == nil {
			fmt.Fprintf(w, "epoch %2d: loss %6.3f, %v\n", e.Epoch, e.Loss, r)
		}
		return err
	}})
}

// show prints how the model parses an expression.
func (p *interpreter) show(ctx context.Context, w io.Writer, t *data.Tree) error {
	words := newSentence(t, p.vocabulary).Word
	result, err := p.session.Run(ctx, p.model.Parse.Graph(), [][]exec.Array{{{Shape: []int{len(words)}, I: words}}})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s = %d\n", bracket(t.Words(), result.Tables[0]["transition"].Ints), largest(result.Outputs[0][0].F))
	return nil
}
