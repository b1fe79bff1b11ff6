package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/frondml/frond/data"
)

// Sizes of the sets of ListOps expressions that are not trained on, and the seed of
// all: the flag -seed is about training, the data stay the same.
const (
	listOpsDev  = 1000
	listOpsTest = 1000
	listOpsSeed = 1
)

// listOpsOptions keeps expressions short enough to learn from in a minute.
func listOpsOptions() data.ListOpsOptions {
	return data.ListOpsOptions{
		MaxDepth: 5, MaxArgs: 5, MaxLength: 50, Nesting: 0.25,
		Operators: []data.ListOp{data.OpMax, data.OpMin, data.OpMed, data.OpSumMod, data.OpFirst, data.OpLast},
	}
}

// corpus is a set of trees and where it came from.
type corpus struct {
	name    string
	trees   []*data.Tree
	neutral int // trees that were left out because their roots are neutral
}

// describe counts what is in the corpus. Always giving the most frequent class is what
// a model has to beat.
func (c corpus) describe(v *data.Vocabulary) string {
	nodes, most := 0, 0
	roots := map[int32]int{}
	for _, t := range c.trees {
		nodes += t.Len()
		label := t.Label[t.Root()]
		roots[label]++
		most = max(most, roots[label])
	}
	left := ""
	if c.neutral > 0 {
		left = fmt.Sprintf(" (%d with neutral roots left out)", c.neutral)
	}
	return fmt.Sprintf("%s: %s%s, %s, %.1f%% of words unknown; the most frequent class has %.1f%% of the roots",
		c.name, count(len(c.trees), "tree"), left, count(nodes, "node"), 100*v.OOV(data.Tokens(c.trees)).TokenRate(), 100*float64(most)/float64(len(c.trees)))
}

// count is a number of things, the name of one of which is given.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// splits are the sets that a model is trained on and measured with.
type splits struct{ train, dev, test corpus }

// generate makes the ListOps expressions.
func generate(examples int) (splits, error) {
	s, err := data.GenerateListOpsSplits(listOpsSeed, examples, listOpsDev, listOpsTest, listOpsOptions())
	if err != nil {
		return splits{}, err
	}
	return splits{
		corpus{name: "ListOps, to train on", trees: s.Train},
		corpus{name: "ListOps, for development", trees: s.Dev},
		corpus{name: "ListOps, to test with", trees: s.Test},
	}, nil
}

// trainingSets returns the sets that training needs. It finds out whether labels are
// grades. Broken trees that were skipped are reported to w.
func (c *config) trainingSets(w io.Writer) (splits, error) {
	if c.Data == "" {
		return generate(c.Examples)
	}
	file := filepath.Join(c.Data, "train.txt")
	if err := c.findGrades(file); err != nil {
		return splits{}, err
	}
	train, err := c.read(file, w)
	if err != nil {
		return splits{}, err
	}
	dev, err := c.read(filepath.Join(c.Data, "dev.txt"), w)
	return splits{train: train, dev: dev}, err
}

// set returns one set of what the model was trained on, or of the data at path: a file,
// or a directory that holds a file for each set.
func (c config) set(path, name string, w io.Writer) (corpus, error) {
	if path == "" && c.Data == "" {
		s, err := generate(c.Examples)
		if err != nil {
			return corpus{}, err
		}
		return map[string]corpus{"train": s.train, "dev": s.dev, "test": s.test}[name], nil
	}
	if path == "" {
		path = c.Data
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, name+c.extension())
	}
	set, err := c.read(path, w)
	switch {
	case err == nil:
	case c.Data == "":
		err = fmt.Errorf("%w\n(the model was trained on ListOps: it reads lines of a value, a tab and an expression)", err)
	case errors.Is(err, data.ErrSyntax):
		err = fmt.Errorf("%w\n(the model was trained on trees with %s)", err, labelSet(c))
	}
	return set, err
}

// extension is that of files of data that the model is for.
func (c config) extension() string {
	if c.Data == "" {
		return ".tsv"
	}
	return ".txt"
}

// read reads a file of trees: ListOps expressions with their values for a model of
// these, else PTB brackets.
func (c config) read(path string, w io.Writer) (corpus, error) {
	if c.Data == "" {
		trees, err := data.ReadListOpsFile(path)
		return corpus{name: path, trees: trees}, err
	}
	trees, err := c.readTreebank(path, w)
	if err != nil || c.Grades == 0 {
		return corpus{name: path, trees: trees}, err
	}
	return c.fold(path, trees)
}

func (c config) readTreebank(path string, w io.Writer) ([]*data.Tree, error) {
	o := data.PTBOptions{Classes: max(c.Classes, c.Grades), Binary: true}
	if !c.Lenient {
		return data.ReadPTBFile(path, o)
	}
	trees, report, err := data.ReadPTBFileLenient(path, o)
	if report.Skipped > 0 {
		fmt.Fprintf(w, "%s: skipped %s of %d:\n%v\n", path, count(report.Skipped, "broken tree"), report.Skipped+report.Trees, report.Err())
	}
	return trees, err
}

// buildVocabulary numbers the words of the trees that occur often enough.
func (c config) buildVocabulary(trees []*data.Tree) *data.Vocabulary {
	return c.number(data.Tokens(trees), c.MinCount)
}

// number numbers the words that occur at least so often.
func (c config) number(words iter.Seq[string], least int) *data.Vocabulary {
	return data.BuildVocabulary(words, data.VocabularyOptions{MinCount: least, Lower: c.Lower})
}

// example is a tree as the model reads it, with an entry per node.
type example struct{ Word, Left, Right, Label []int32 }

func examples(trees []*data.Tree, v *data.Vocabulary) []example {
	all := make([]example, len(trees))
	for i, t := range trees {
		all[i] = example{v.IDs(t), t.Left, t.Right, t.Label}
	}
	return all
}
