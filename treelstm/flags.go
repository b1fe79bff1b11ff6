package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/frondml/frond/data"
)

// config is what a model was made from and how it is trained. It is kept in the
// model's file.
type config struct {
	Data     string `json:"data"`     // directory of a treebank; "" for ListOps
	Examples int    `json:"examples"` // ListOps expressions to train on
	Lenient  bool   `json:"lenient"`
	MinCount int    `json:"min_count"`
	Lower    bool   `json:"lower"`

	Classes   int     `json:"classes"`
	Embedding int     `json:"embedding"`
	Hidden    int     `json:"hidden"`
	Dropout   float64 `json:"dropout"`

	Optimizer    string  `json:"optimizer"`
	LearningRate float64 `json:"learning_rate"`
	L2           float64 `json:"l2"`
	Clip         float64 `json:"clip"`
	Batch        int     `json:"batch"`
	Epochs       int     `json:"epochs"`
	Patience     int     `json:"patience"`
	Seed         uint64  `json:"seed"`
}

// listOps is the configuration for the expressions that the program makes itself.
func listOps() config {
	return config{
		Examples: 20000, MinCount: 1,
		Classes: 10, Embedding: 32, Hidden: 96,
		Optimizer: "adam", LearningRate: 0.003, Clip: 5, Batch: 32, Epochs: 10, Seed: 1,
	}
}

// treebank is the configuration for trees of a directory. Sizes and optimiser are those
// of Tai et al. for the Stanford Sentiment Treebank.
func treebank() config {
	return config{
		Examples: listOps().Examples, MinCount: 2, Lower: true,
		Classes: 5, Embedding: 300, Hidden: 150, Dropout: 0.5,
		Optimizer: "adagrad", LearningRate: 0.05, L2: 1e-4, Clip: 5, Batch: 25, Epochs: 10, Patience: 5, Seed: 1,
	}
}

// trainFlags is the command line of train.
type trainFlags struct {
	config
	out     string
	resume  bool
	workers int
	observation
}

// What a slip of the finger must not make the program allocate.
const (
	maxClasses  = 1 << 16
	maxWidth    = 1 << 14
	maxExamples = 5_000_000
)

const defaultModel = "model.safetensors"

// flagSet returns the flags of train, which store into f what the command line says.
func (f *trainFlags) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet("train", flag.ContinueOnError)
	fs.StringVar(&f.Data, "data", f.Data, "`directory` with train.txt and dev.txt, a tree in PTB brackets per line; ListOps without it")
	fs.IntVar(&f.Examples, "examples", f.Examples, "ListOps expressions to train on")
	fs.BoolVar(&f.Lenient, "lenient", f.Lenient, "skip broken trees instead of giving up")
	fs.IntVar(&f.MinCount, "min-count", f.MinCount, "words that occur less often are unknown")
	fs.BoolVar(&f.Lower, "lower", f.Lower, "map words to lower case")

	fs.IntVar(&f.Classes, "classes", f.Classes, "labels are 0 to `n`-1")
	fs.IntVar(&f.Embedding, "embedding", f.Embedding, "elements of a word vector")
	fs.IntVar(&f.Hidden, "hidden", f.Hidden, "elements of the state of a node")
	fs.Float64Var(&f.Dropout, "dropout", f.Dropout, "probability that an element of a word vector or of a classifier's input is left out")

	fs.StringVar(&f.Optimizer, "optimizer", f.Optimizer, "`name`: sgd, momentum, adagrad or adam")
	fs.Float64Var(&f.LearningRate, "lr", f.LearningRate, "learning rate")
	fs.Float64Var(&f.L2, "l2", f.L2, "weight of the penalty on squared weights; of word vectors, those in the batch")
	fs.Float64Var(&f.Clip, "clip", f.Clip, "limit of the norm of the gradient, 0 for none")
	fs.IntVar(&f.Batch, "batch", f.Batch, "trees per update")
	fs.IntVar(&f.Epochs, "epochs", f.Epochs, "passes over the training set")
	fs.IntVar(&f.Patience, "patience", f.Patience, "stop after so many epochs without a better one, 0 for never")
	fs.Uint64Var(&f.Seed, "seed", f.Seed, "seed of initial weights, order and dropout")

	fs.StringVar(&f.out, "out", f.out, "`file` that keeps the best model; the last state goes to a file beside it")
	fs.BoolVar(&f.resume, "resume", f.resume, "go on from the last state; other flags replace those that it was trained with")
	workersVar(fs, &f.workers)
	f.observation.vars(fs)
	return fs
}

func workersVar(fs *flag.FlagSet, workers *int) {
	fs.IntVar(workers, "workers", *workers, "goroutines that compute, 0 for one per processor")
}

const trainUsage = `Usage: treelstm train [flags]

Trains a binary Tree-LSTM. After every epoch it prints the loss (a sum over the nodes of
a tree, the mean over trees), the speed, how many nodes were computed together, and the
accuracy on the development set, at the roots and at all nodes; for trees with five
classes also whether nodes that are not neutral are found positive or negative.

The model of the best epoch, by the roots, goes to the file -out, the state of the last
to a file beside it. Ctrl-C saves the state and ends the program with status 130; -resume goes on.
-opprofile and -trace write where the time goes, also after Ctrl-C.

	treelstm train
	treelstm train -data ../shared/data/sst
	treelstm train -data ../shared/data/sst -resume -epochs 20
	treelstm train -epochs 1 -opprofile ops.pb.gz && go tool pprof -top ops.pb.gz

`

// parseTrain reads the command line of train. What it does not say is as base says,
// or, when base is nil, as is good for the data that it names.
func parseTrain(args []string, base *config, out io.Writer) (trainFlags, error) {
	f := trainFlags{config: listOps(), out: defaultModel}
	if base != nil {
		f.config = *base
	}
	given := f
	fs := given.flagSet()
	if err := parse(fs, args, out, func() string { return trainUsage + describeTrain() }); err != nil {
		return f, err
	}
	if base == nil && given.Data != "" {
		given = trainFlags{config: treebank(), out: defaultModel}
		fs = given.flagSet()
		if err := parse(fs, args, out, nil); err != nil {
			return f, err
		}
	}
	if fs.NArg() > 0 {
		return f, usageError{fmt.Errorf("train: unexpected argument %q", fs.Arg(0))}
	}
	if err := dataNamed(fs); err != nil {
		return f, err
	}
	return given, given.check()
}

// dataNamed refuses -data "", which is more likely a variable of a script that is not
// set than a wish for the data that are used without the flag.
func dataNamed(fs *flag.FlagSet) error {
	var err error
	fs.Visit(func(f *flag.Flag) {
		if f.Name == "data" && f.Value.String() == "" {
			err = usageError{fmt.Errorf(`%s: -data "": want the name of a place; leave the flag out for the default`, fs.Name())}
		}
	})
	return err
}

// parse is fs.Parse with errors that say so and help that goes to out.
func parse(fs *flag.FlagSet, args []string, out io.Writer, help func() string) error {
	fs.SetOutput(io.Discard)
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		if _, err := io.WriteString(out, help()); err != nil {
			return err
		}
		return flag.ErrHelp
	}
	if err != nil {
		return usageError{fmt.Errorf("%s: %w; run \"treelstm %s -h\" for help", fs.Name(), err, fs.Name())}
	}
	return nil
}

// describeTrain lists the flags of train with both defaults where they differ.
func describeTrain() string {
	a, b := trainFlags{config: listOps(), out: defaultModel}, trainFlags{config: treebank(), out: defaultModel}
	other := b.flagSet()
	return describe(a.flagSet(), func(f *flag.Flag) string {
		if with := other.Lookup(f.Name).DefValue; with != f.DefValue {
			return fmt.Sprintf("%s, with -data %s", f.DefValue, with)
		}
		return f.DefValue
	})
}

// describe lists flags as flag.PrintDefaults does, with the defaults that the function
// returns.
func describe(fs *flag.FlagSet, value func(*flag.Flag) string) string {
	var b strings.Builder
	fs.VisitAll(func(f *flag.Flag) {
		name, text := flag.UnquoteUsage(f)
		if name != "" {
			name = " " + name
		}
		fmt.Fprintf(&b, "  -%s%s\n    \t%s", f.Name, name, text)
		if v := value(f); v != "" && v != "false" {
			fmt.Fprintf(&b, " (default %s)", v)
		}
		b.WriteString("\n")
	})
	return b.String()
}

// ownDefault is the default that a flag has.
func ownDefault(f *flag.Flag) string { return f.DefValue }

// check reports settings that make no sense, as mistakes in the command line.
func (f *trainFlags) check() error {
	var errs []error
	need := func(ok bool, name string, value any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("-%s %v: want %s", name, value, want))
		}
	}
	atLeast := func(least int, name string, n int) { need(n >= least, name, n, fmt.Sprintf("at least %d", least)) }
	between := func(least, most int, name string, n int) {
		need(least <= n && n <= most, name, n, fmt.Sprintf("%d to %d", least, most))
	}
	between(1, maxClasses, "classes", f.Classes)
	between(1, maxWidth, "embedding", f.Embedding)
	between(1, maxWidth, "hidden", f.Hidden)
	atLeast(1, "batch", f.Batch)
	atLeast(1, "epochs", f.Epochs)
	atLeast(0, "min-count", f.MinCount)
	atLeast(0, "patience", f.Patience)
	atLeast(0, "workers", f.workers)
	need(f.LearningRate >= 0, "lr", f.LearningRate, "at least 0")
	need(f.L2 >= 0, "l2", f.L2, "at least 0")
	need(f.Clip >= 0, "clip", f.Clip, "at least 0")
	need(f.Dropout >= 0 && f.Dropout < 1, "dropout", f.Dropout, "at least 0 and below 1")
	need(f.out != "", "out", `""`, "the name of a file")
	if _, err := newOptimizer(f.config); err != nil {
		errs = append(errs, err)
	}
	if f.Data == "" {
		between(1, maxExamples, "examples", f.Examples)
		atLeast(data.ListOpsClasses, "classes", f.Classes)
	}
	if err := errors.Join(errs...); err != nil {
		return usageError{fmt.Errorf("train: %w", err)}
	}
	return nil
}
