// Command treelstm trains recursive networks, by default the binary Tree-LSTM of Tai,
// Socher and Manning (2015), measures them and shows what they say about trees.
//
//	treelstm train                                  on ListOps expressions that it makes itself
//	treelstm train -data DIR                        on DIR/train.txt and DIR/dev.txt, in PTB brackets
//	treelstm train -data DIR -model rntn            another network; -h lists them
//	treelstm eval -data DIR                         accuracy on DIR/test.txt
//	treelstm predict '(3 (2 It) (4 (2 works) (2 .)))'
//	treelstm predict -html trees.html < trees.txt   drawn for a browser
//	treelstm inspect                                what is in the file of a model
//	treelstm graph -svg > model.svg                 the program that it is
//	treelstm bench                                  its speed on this machine
//
// The classes are told at every node of a tree; nodes without a label carry no loss. The
// model of the epoch with the best accuracy at the roots of the development set is kept
// in a file, model.safetensors unless -out names another; beside it lies the last state,
// from which train -resume goes on. Settings come from flags, then from the file that
// -config names, then from defaults for the data and the network; both files keep them.
//
// With -device cuda the commands that compute do so on a CUDA device. Its driver is
// libcuda.so.1, or what the environment variable FROND_GPU_LIBRARY names.
//
// The exit status is 0, 1 when something failed (also writing to standard output), 2 when
// the command line is wrong, or 130 when the command was interrupted: by Ctrl-C or
// SIGTERM, also when train saved its state.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
)

// command is one of the things that the program does.
type command struct {
	name, args string
	summary    string
	run        func(ctx context.Context, args []string, s streams) error
}

// commands are listed in the order in which one gets to know them.
func commands() []command {
	return []command{
		{"train", "[flags]", "fit a model to trees", trainCommand},
		{"eval", "[flags]", "measure a model on trees", evalCommand},
		{"predict", "[flags] [tree...]", "show the class probabilities at every node", predictCommand},
		{"inspect", "[flags] [file]", "show what is in a file of a model", inspectCommand},
		{"graph", "[flags]", "show the program that a model is", graphCommand},
		{"bench", "[flags]", "measure the speed of a model on this machine", benchCommand},
	}
}

// usage is the help of the program.
func usage() string {
	var lines strings.Builder
	w := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	for _, c := range commands() {
		fmt.Fprintf(w, "\ttreelstm %s\t%s\t%s\n", c.name, c.args, c.summary)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return fmt.Sprintf(usageText, lines.String())
}

const usageText = `treelstm trains recursive networks to classify every node of a tree.

Usage:

%s
Run "treelstm COMMAND -h" for the flags of a command. Without any flags, train needs
no data: it makes ListOps expressions and learns to evaluate them.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// From then on the signals have their usual effect: a second one ends the program.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// streams are where a command reads from and writes to: results go to out, progress
// and errors to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// Exit statuses.
const (
	exitOK = iota
	exitFailure
	exitUsage

	exitInterrupted = 130 // as shells report a command that SIGINT ended
)

// usageError is a mistake in the command line.
type usageError struct{ error }

// interruption is how far a command had come when it was asked to end.
type interruption struct{ error }

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, s streams) int {
	out := &output{w: s.out}
	s.out = out
	err := dispatch(ctx, args, s)
	if out.err != nil && !errors.Is(err, out.err) {
		err = errors.Join(err, fmt.Errorf("standard output: %w", out.err))
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(s.err, "treelstm: %v\n", err)
	return exitStatus(ctx, err)
}

func exitStatus(ctx context.Context, err error) int {
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	_, stopped := errors.AsType[interruption](err)
	if stopped || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return exitInterrupted
	}
	return exitFailure
}

// output remembers the first error of its writer, so that no print needs a check of its
// own: results that were lost are a failure, while a model is still worth saving.
type output struct {
	w   io.Writer
	err error
}

// Write writes nothing more after an error.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

func dispatch(ctx context.Context, args []string, s streams) error {
	if len(args) == 0 {
		return usageError{fmt.Errorf("no command\n\n%s", strings.TrimSpace(usage()))}
	}
	name := args[0]
	if slices.Contains([]string{"help", "-h", "-help", "--help"}, name) {
		_, err := io.WriteString(s.out, usage())
		return err
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return usageError{fmt.Errorf("unknown command %q\n\n%s", name, strings.TrimSpace(usage()))}
	}
	err := all[i].run(ctx, args[1:], s)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	return err
}
