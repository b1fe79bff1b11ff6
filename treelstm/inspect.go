package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/frondml/frond/train"
	"github.com/frondml/frond/train/safetensors"
	"github.com/frondml/frond/treelstm/internal/weights"
)

const inspectUsage = `Usage: treelstm inspect [flags] [file]

Shows what is in a file of a model: its configuration, how far training had come, and
every tensor with its type, shape, smallest and largest element, mean, norm (the square
root of the sum of squares) and how many elements are not finite. It reads any file in
the safetensors format, also those of other programs, and tells when a file of this
program is damaged.

	treelstm inspect
	treelstm inspect -vocabulary model.safetensors
	treelstm inspect -tensor Ws model.safetensors

`

// inspectFlags is the command line of inspect.
type inspectFlags struct {
	tensor     string
	vocabulary bool
}

func inspectCommand(ctx context.Context, args []string, s streams) error {
	var f inspectFlags
	fs := flag.NewFlagSet("inspect", flag.ContinueOnError)
	fs.StringVar(&f.tensor, "tensor", "", "print the elements of the tensor of that `name`, of a large one those at the ends of each axis")
	fs.BoolVar(&f.vocabulary, "vocabulary", false, "list the words that the model knows, with their numbers")
	if err := parse(fs, args, s.out, func() string { return inspectUsage + describe(fs, ownDefault) }); err != nil {
		return err
	}
	path := defaultModel
	switch {
	case fs.NArg() > 1:
		return usageError{fmt.Errorf("inspect: unexpected argument %q; flags come before the file", fs.Arg(1))}
	case fs.NArg() == 1:
		path = fs.Arg(0)
	}
	if f.tensor != "" && f.vocabulary {
		return usageError{errors.New("inspect: -tensor and -vocabulary: want one of them")}
	}
	return f.run(ctx, path, s.out)
}

func (f *inspectFlags) run(ctx context.Context, path string, out io.Writer) error {
	if f.vocabulary {
		return listVocabulary(path, out)
	}
	// A pipe or a directory has no size, which the header is checked against.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("inspect: %s is not a regular file", path)
	}
	r, err := safetensors.Open(path)
	if err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	defer r.Close()
	if f.tensor != "" {
		return printTensor(r, f.tensor, out)
	}
	return printFile(ctx, path, r, out)
}

// printTensor prints the elements of one tensor under its type.
func printTensor(r *safetensors.Reader, name string, out io.Writer) error {
	info, ok := r.Info(name)
	if !ok {
		return fmt.Errorf("inspect: %w", noTensor(name, r.Names()))
	}
	text, err := weights.Text(r, name)
	if err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	_, err = fmt.Fprintf(out, "%s %s%v\n%s\n", escaped(name), info.DType, info.Shape, text)
	return err
}

// noTensor says which tensors there are instead.
func noTensor(name string, names []string) error {
	const most = 10
	list := ""
	for i, n := range names {
		if i == most {
			list += " ..."
			break
		}
		list += " " + escaped(n)
	}
	return fmt.Errorf("-tensor %q: %w; there are:%s", name, safetensors.ErrNotFound, list)
}

// listVocabulary prints a word and its number per line.
func listVocabulary(path string, out io.Writer) error {
	f, err := train.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := vocabularyOf(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for id := range int32(v.Len()) {
		if _, err := fmt.Fprintf(out, "%d\t%s\n", id, escaped(v.Word(id))); err != nil {
			return err
		}
	}
	return nil
}
