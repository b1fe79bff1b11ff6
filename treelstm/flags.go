package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/frondml/frond/treelstm/internal/configfile"
)

// trainFlags is the command line of train.
type trainFlags struct {
	config
	configFile  string
	printConfig bool
	out         string
	resume      bool
	saveEvery   interval
	workers     int
	device      deviceFlag
	records
	observation
}

const defaultModel = "model.safetensors"

// flagSet returns the flags of train, which store into f what the command line says.
func (f *trainFlags) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet("train", flag.ContinueOnError)
	f.dataVars(fs)
	f.modelVars(fs)
	f.optimizationVars(fs)

	fs.StringVar(&f.configFile, "config", f.configFile, "`file` with settings as JSON, which other flags replace; -print-config shows the form")
	fs.BoolVar(&f.printConfig, "print-config", f.printConfig, "print the settings as JSON and do nothing else")
	fs.StringVar(&f.out, "out", f.out, "`file` that keeps the best model; the last state goes to a file beside it")
	fs.BoolVar(&f.resume, "resume", f.resume, "go on from the last state; other flags replace those that it was trained with")
	fs.Var(&f.saveEvery, "save-every", "save the state also within an epoch: every so many `steps`, or after a time such as 30s")
	workersVar(fs, &f.workers)
	f.device.vars(fs)
	f.records.vars(fs)
	f.observation.vars(fs)
	return fs
}

func (f *trainFlags) dataVars(fs *flag.FlagSet) {
	fs.StringVar(&f.Data, "data", f.Data, "`directory` with train.txt and dev.txt, a tree in PTB brackets per line; ListOps without it")
	fs.IntVar(&f.Examples, "examples", f.Examples, "ListOps expressions to train on")
	fs.BoolVar(&f.Lenient, "lenient", f.Lenient, "skip broken trees instead of giving up")
	fs.IntVar(&f.MinCount, "min-count", f.MinCount, "words that occur less often are unknown")
	fs.BoolVar(&f.Lower, "lower", f.Lower, "map words to lower case")
	fs.StringVar(&f.Vectors, "vectors", f.Vectors, "`file` of initial word vectors: text as of GloVe, word2vec or fastText; .bin is binary as of word2vec")
	fs.IntVar(&f.Classes, "classes", f.Classes, "labels are 0 to `n`-1; 2 of a treebank with the grades 0 to 4: below and above the neutral 2, which does not count")
}

func (f *trainFlags) modelVars(fs *flag.FlagSet) {
	fs.StringVar(&f.Model, "model", f.Model, "`name` of the network: "+networkNames())
	fs.IntVar(&f.Embedding, "embedding", f.Embedding, "elements of a word vector; 0 for as many as -vectors has, or as -hidden in a network whose states they are")
	fs.IntVar(&f.Hidden, "hidden", f.Hidden, "elements of the state of a node; 0 for as many as -embedding in such a network")
	fs.Float64Var(&f.Dropout, "dropout", f.Dropout, "probability that an element of a word vector or of a classifier's input is left out")
}

func (f *trainFlags) optimizationVars(fs *flag.FlagSet) {
	fs.StringVar(&f.Optimizer, "optimizer", f.Optimizer, "`name`: sgd, momentum, adagrad or adam")
	fs.Float64Var(&f.LearningRate, "lr", f.LearningRate, "learning rate")
	fs.Float64Var(&f.L2, "l2", f.L2, "weight of the penalty on squared weights; of word vectors, those in the batch")
	fs.Float64Var(&f.Clip, "clip", f.Clip, "limit of the norm of the gradient, 0 for none")
	fs.IntVar(&f.Batch, "batch", f.Batch, "trees per update")
	fs.IntVar(&f.Epochs, "epochs", f.Epochs, "passes over the training set")
	fs.IntVar(&f.Patience, "patience", f.Patience, "stop after so many epochs without a better one, 0 for never")
	fs.Uint64Var(&f.Seed, "seed", f.Seed, "seed of initial weights, order and dropout")
	fs.BoolVar(&f.Deterministic, "deterministic", f.Deterministic, "the same bits whatever the number of workers, at some cost")
}

func workersVar(fs *flag.FlagSet, workers *int) {
	fs.IntVar(workers, "workers", *workers, "goroutines that compute, 0 for one per processor")
}

const trainUsage = `Usage: treelstm train [flags]

Trains a network to tell the class of every node of a tree. After every epoch it prints
the loss (a sum over the nodes of a tree, the mean over trees), the speed, how many nodes
were computed together, and the accuracy on the development set, at the roots and at all
nodes; for trees with five classes also whether nodes that are not neutral are found
positive or negative. At the end it prints which classes are taken for which.

The model of the best epoch, by the roots, goes to the file -out, the state of the last
to a file beside it. Ctrl-C saves the state and ends the program with status 130; -resume goes on.
With -save-every even a killed program loses little. -metrics, -tensorboard, -curves and
-report record what is measured; -opprofile and -trace write where the time goes, also
after Ctrl-C. With -device cuda the model is trained on a GPU; should it fail on the way, the
state of some steps before is saved, and -resume goes on from there, also with -device cpu.

	treelstm train
	treelstm train -data ../shared/data/sst
	treelstm train -data ../shared/data/sst -model rntn -classes 2 -report run.html
	treelstm train -data ../shared/data/sst -vectors glove.6B.50d.txt
	treelstm train -data ../shared/data/sst -resume -epochs 20
	treelstm train -data ../shared/data/sst -device cuda
	treelstm train -model rntn -data DIR -print-config > rntn.json && treelstm train -config rntn.json
	treelstm train -epochs 1 -opprofile ops.pb.gz && go tool pprof -top ops.pb.gz

`

// parseTrain reads the command line of train. What it does not say is as the file of
// -config says, then as base says, or, when base is nil, as is good for the model and the
// data.
func parseTrain(args []string, base *config, out io.Writer) (trainFlags, error) {
	given := trainFlags{config: config{Model: defaultNetwork}, out: defaultModel}
	if err := given.parse(args, out); err != nil {
		return given, err
	}
	start, err := given.config.defaults()
	if base != nil {
		start, err = *base, nil
	}
	if err != nil {
		return given, usageError{fmt.Errorf("train: %w", err)}
	}
	given = trainFlags{config: start, out: defaultModel}
	if err := given.parse(args, out); err != nil {
		return given, err
	}
	return given, given.check()
}

// parse stores into f what the file of -config says, and then what the command line says.
func (f *trainFlags) parse(args []string, out io.Writer) error {
	help := func() string { return trainUsage + describeTrain() }
	named := *f
	if err := parse(named.flagSet(), args, out, help); err != nil {
		return err
	}
	if named.configFile != "" {
		if err := configfile.Read(named.configFile, &f.config); err != nil {
			return fmt.Errorf("-config: %w", err)
		}
	}
	fs := f.flagSet()
	if err := parse(fs, args, out, help); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return usageError{fmt.Errorf("train: unexpected argument %q", fs.Arg(0))}
	}
	return dataNamed(fs)
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
	}) + "\nDefaults of other models than " + defaultNetwork + " differ; -print-config shows them.\n"
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
	var r rangeCheck
	r.atLeast(0, "workers", f.workers)
	r.need(f.out != "", "out", `""`, "the name of a file")
	if err := errors.Join(append(r.errs, f.config.check())...); err != nil {
		return usageError{fmt.Errorf("train: %w", err)}
	}
	return f.device.check("train", f.observation)
}

// interval is a number of steps or a time; the zero value means never.
type interval struct {
	steps int64
	time  time.Duration
}

// String returns what Set takes.
func (i *interval) String() string {
	switch {
	case i.time > 0:
		return i.time.String()
	case i.steps > 0:
		return strconv.FormatInt(i.steps, 10)
	}
	return ""
}

// Set takes a number of steps or a time.
func (i *interval) Set(s string) error {
	if steps, err := strconv.ParseInt(s, 10, 64); err == nil && steps >= 0 {
		*i = interval{steps: steps}
		return nil
	}
	t, err := time.ParseDuration(s)
	if err != nil || t < 0 {
		return errors.New("want a number of steps, or a time such as 30s")
	}
	*i = interval{time: t}
	return nil
}
