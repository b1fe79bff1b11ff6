package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"
)

const evalUsage = `Usage: treelstm eval [flags]

Prints the loss (a sum over the nodes of a tree, the mean over trees) and the accuracy of
a model on a set of trees, by default the test set of the data that it was trained on.

	treelstm eval
	treelstm eval -data ../shared/data/sst -split dev

`

// evalSplits are the sets that a directory of data may hold.
var evalSplits = []string{"train", "dev", "test"}

func evalCommand(ctx context.Context, args []string, s streams) error {
	fs := flag.NewFlagSet("eval", flag.ContinueOnError)
	path := fs.String("model", defaultModel, "`file` of the model")
	from := fs.String("data", "", "`directory` or file of trees, in the format that the model was trained on")
	split := fs.String("split", "test", "`set` to use of a directory: train, dev or test")
	lenient := fs.Bool("lenient", false, "skip broken trees instead of giving up")
	workers := 0
	workersVar(fs, &workers)
	if err := parse(fs, args, s.out, func() string { return evalUsage + describe(fs, ownDefault) }); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0:
		return usageError{fmt.Errorf("eval: unexpected argument %q; trees are read with -data", fs.Arg(0))}
	case !slices.Contains(evalSplits, *split):
		return usageError{fmt.Errorf("eval: -split %q: want one of %q", *split, evalSplits)}
	case workers < 0:
		return usageError{errors.New("eval: -workers: want at least 0")}
	}
	m, err := loadModel(*path, workers)
	if err != nil {
		return err
	}
	defer m.session.Close()
	m.config.Lenient = *lenient
	c, err := m.config.set(*from, *split, s.err)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%v\n%s\n", m, c.describe(m.vocabulary))
	begun := time.Now()
	a, err := m.measure(ctx, examples(c.trees, m.vocabulary))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "loss %.4f  %v  %.0f trees/s\n", a.loss, a, float64(len(c.trees))/time.Since(begun).Seconds())
	return err
}
