package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/frondml/frond/exec"
)

const evalUsage = `Usage: treelstm eval [flags]

Prints the loss (a sum over the nodes of a tree, the mean over trees) and the accuracy of
a model on a set of trees, by default the test set of the data that it was trained on,
and which classes are taken for which at the roots.

	treelstm eval
	treelstm eval -data ../shared/data/sst -split dev
	treelstm eval -opprofile ops.pb.gz && go tool pprof -top ops.pb.gz

`

// evalSplits are the sets that a directory of data may hold.
var evalSplits = []string{"train", "dev", "test"}

// evalFlags is the command line of eval.
type evalFlags struct {
	model, data, split string
	lenient            bool
	workers            int
	device             deviceFlag
	observation
}

func evalCommand(ctx context.Context, args []string, s streams) error {
	var f evalFlags
	fs := flag.NewFlagSet("eval", flag.ContinueOnError)
	fs.StringVar(&f.model, "model", defaultModel, "`file` of the model")
	fs.StringVar(&f.data, "data", "", "`directory` or file of trees, in the format that the model was trained on")
	fs.StringVar(&f.split, "split", "test", "`set` to use of a directory: train, dev or test")
	fs.BoolVar(&f.lenient, "lenient", false, "skip broken trees instead of giving up")
	workersVar(fs, &f.workers)
	f.device.vars(fs)
	f.observation.vars(fs)
	if err := parse(fs, args, s.out, func() string { return evalUsage + describe(fs, ownDefault) }); err != nil {
		return err
	}
	if err := dataNamed(fs); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0:
		return usageError{fmt.Errorf("eval: unexpected argument %q; trees are read with -data", fs.Arg(0))}
	case !slices.Contains(evalSplits, f.split):
		return usageError{fmt.Errorf("eval: -split %q: want train, dev or test", f.split)}
	case f.workers < 0:
		return usageError{errors.New("eval: -workers: want at least 0")}
	}
	if err := f.device.check("eval", f.observation); err != nil {
		return err
	}
	return f.device.use(exec.Options{Workers: f.workers}, func(o exec.Options) error {
		return f.observe(o, func(o exec.Options) error { return f.run(ctx, s, o) })
	})
}

func (f *evalFlags) run(ctx context.Context, s streams, o exec.Options) error {
	m, err := loadModel(f.model, o)
	if err != nil {
		return err
	}
	defer m.session.Close()
	m.config.Lenient = f.lenient
	c, err := m.config.set(f.data, f.split, s.err)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%v\n%s\n", m, c.describe(m.vocabulary))
	begun := time.Now()
	a, err := m.measure(ctx, examples(c.trees, m.vocabulary))
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "loss %.4f  %v  %.0f trees/s\n", a.loss, a, float64(len(c.trees))/time.Since(begun).Seconds())
	return a.confusion.WriteText(s.out)
}
