package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
)

const predictUsage = `Usage: treelstm predict [flags] [tree...]

Prints the probabilities of the classes at every node of the trees, which are read from
standard input when there are none on the command line. Labels are shown beside what
the model says; they may be left out, and those of expressions are computed. With -html
the trees are drawn instead, in a file that any browser shows, also without a network;
with -json they are told to programs.

	treelstm predict '(3 (2 It) (4 (2 works) (2 .)))'
	treelstm predict '( ( It) ( ( works) ( .)))'
	treelstm predict '[MAX 2 9 [MIN 4 7 ] 0 ]'       with a model of ListOps
	treelstm predict -html trees.html < ../shared/data/sst/test.txt

`

// predictFlags is the command line of predict.
type predictFlags struct {
	model, html string
	json        bool
	device      deviceFlag
	trees       []string
}

func predictCommand(ctx context.Context, args []string, s streams) error {
	var f predictFlags
	fs := flag.NewFlagSet("predict", flag.ContinueOnError)
	fs.StringVar(&f.model, "model", defaultModel, "`file` of the model")
	fs.StringVar(&f.html, "html", "", "`file` for a page that draws the trees, in place of the text")
	fs.BoolVar(&f.json, "json", false, "print a line of JSON per node, children before their parents, in place of the text")
	f.device.vars(fs)
	if err := parse(fs, args, s.out, func() string { return predictUsage + describe(fs, ownDefault) }); err != nil {
		return err
	}
	if f.html != "" && f.json {
		return usageError{errors.New("predict: -html and -json: want one of them")}
	}
	f.trees = fs.Args()
	return f.device.use(exec.Options{CheckFinite: true}, func(o exec.Options) error { return f.run(ctx, s, o) })
}

func (f *predictFlags) run(ctx context.Context, s streams, o exec.Options) error {
	m, err := loadModel(f.model, o)
	if err != nil {
		return err
	}
	defer m.session.Close()
	trees, err := m.config.parseTrees(ctx, f.trees, s.in)
	if errors.Is(err, data.ErrSyntax) {
		return fmt.Errorf("%w\n(%s)", err, m.config.reads())
	}
	if err != nil {
		return err
	}
	if f.html != "" {
		return m.drawTrees(ctx, f.html, trees, s.out)
	}
	number := 0
	return m.predict(ctx, trees, func(t *data.Tree, o train.Outcome) error {
		number++
		if f.json {
			return writeNodes(s.out, number, t, o)
		}
		if number > 1 {
			fmt.Fprintln(s.out)
		}
		printTree(s.out, t, o, m.vocabulary)
		return nil
	})
}

// predict hands what the model says about the trees, tree by tree and in their order,
// to visit, up to its first error.
func (m *model) predict(ctx context.Context, trees []*data.Tree, visit func(*data.Tree, train.Outcome) error) error {
	next := 0
	var failed error
	_, err := train.Evaluate(ctx, m.session, m.classify, slices.Values(examples(trees, m.vocabulary)), evalBatch, func(_ example, o train.Outcome) {
		if failed == nil {
			failed = visit(trees[next], o)
		}
		next++
	})
	return errors.Join(failed, err)
}

// reads tells what the model takes to predict, for somebody who has another in mind.
func (c config) reads() string {
	if c.Data == "" {
		return "the model was trained on ListOps: it reads expressions such as [MAX 2 9 ]"
	}
	return fmt.Sprintf("the model was trained on the trees of %s: it reads brackets such as (3 (2 It) (4 works))", c.Data)
}

// parseTrees reads the trees of the command line, or of in when there are none.
func (c config) parseTrees(ctx context.Context, args []string, in io.Reader) ([]*data.Tree, error) {
	if len(args) == 0 {
		text, err := readAll(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return c.parseText(bytes.NewReader(text), "standard input")
	}
	var trees []*data.Tree
	var errs []error
	for i, arg := range args {
		some, err := c.parseText(strings.NewReader(arg), fmt.Sprintf("tree %d", i+1))
		trees, errs = append(trees, some...), append(errs, err)
	}
	return trees, errors.Join(errs...)
}

// readAll reads in to its end, or gives up when ctx is done. The goroutine that waits
// for a terminal then ends with the program.
func readAll(ctx context.Context, in io.Reader) ([]byte, error) {
	type outcome struct {
		text []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		text, err := io.ReadAll(in)
		done <- outcome{text, err}
	}()
	select {
	case o := <-done:
		return o.text, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c config) parseText(r io.Reader, name string) ([]*data.Tree, error) {
	if c.Data == "" {
		return parseListOps(r, name)
	}
	var trees []*data.Tree
	var errs []error
	for t, err := range data.NewPTBReader(r, name, data.PTBOptions{Binary: true}).All() {
		if err == nil {
			err = c.checkLabels(t)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		trees = append(trees, t)
	}
	return trees, nothingRead(name, trees, errs)
}

// nothingRead joins the errors, and adds one when there was nothing to read.
func nothingRead(name string, trees []*data.Tree, errs []error) error {
	if len(trees) == 0 && len(errs) == 0 {
		return fmt.Errorf("%s: %w: expected a tree", name, data.ErrEmpty)
	}
	return errors.Join(errs...)
}

// checkLabels reports a label that is not one of the model's, and makes classes of
// grades.
func (c config) checkLabels(t *data.Tree) error {
	labels, what := c.Classes, "the model has the classes"
	if c.Grades > 0 {
		labels, what = c.Grades, "the model was trained on the grades"
	}
	for i, label := range t.Label {
		if int(label) >= labels {
			return fmt.Errorf("%v: label %d at %q; %s 0 to %d", t.Pos, label, phrase(t, firstNodes(t)[i], int32(i), nil), what, labels-1)
		}
	}
	if c.Grades > 0 {
		foldLabels(t)
	}
	return nil
}

// printTree prints a line per node, parents before their children: probabilities, the
// class predicted, the label, and the words below the node.
func printTree(w io.Writer, t *data.Tree, o train.Outcome, v *data.Vocabulary) {
	for class := range o.Outputs[0].F {
		fmt.Fprintf(w, "%5d ", class)
	}
	fmt.Fprintln(w, " is  label")
	logits := make([][]float32, t.Len())
	for i, row := range rows(o.Tables["logits"]) {
		logits[i] = row
	}
	first := firstNodes(t)
	type visit struct{ node, depth int32 }
	stack := []visit{{t.Root(), 0}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, p := range probabilities(logits[at.node]) {
			fmt.Fprintf(w, "%5.3f ", p)
		}
		fmt.Fprintf(w, "%3d  %5s  %s%s\n", predicted(logits[at.node]), label(t, at.node), strings.Repeat("  ", int(min(at.depth, 20))), phrase(t, first[at.node], at.node, v))
		if !t.IsLeaf(at.node) {
			stack = append(stack, visit{t.Right[at.node], at.depth + 1}, visit{t.Left[at.node], at.depth + 1})
		}
	}
}

func label(t *data.Tree, i int32) string {
	if t.Label[i] < 0 {
		return "-"
	}
	return fmt.Sprint(t.Label[i])
}

// firstNodes returns the first node of the subtree of each node.
func firstNodes(t *data.Tree) []int32 {
	first := make([]int32, t.Len())
	for i := range int32(t.Len()) {
		first[i] = i
		if !t.IsLeaf(i) {
			first[i] = first[t.Children(i)[0]]
		}
	}
	return first
}

// phrase returns the words of the nodes from first to last, safe for a terminal. A word
// that v, if it is not nil, does not hold is marked.
func phrase(t *data.Tree, first, last int32, v *data.Vocabulary) string {
	const most = 60
	var b strings.Builder
	for ; first <= last && b.Len() < most; first++ {
		if word := t.Word[first]; word != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(escaped(word))
			if v != nil && v.ID(word) <= 0 {
				b.WriteString("(?)")
			}
		}
	}
	if first <= last {
		b.WriteString(" ...")
	}
	return b.String()
}
