package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/frondml/frond/data"
)

// corpus is what there is to learn from. A package is in one of the sets as a whole.
type corpus struct {
	train, dev, test []example
	giants           []example // the largest functions, whatever their names and packages
	terms            *data.Vocabulary
	classes          []string // words
	functions, nodes int      // all there are
	copies           int      // functions left out of dev and test since they are in train as well
}

// part says which set a package is in, by its directory: 7 of 10 are to train on, 1 is
// to choose the epoch by, 2 are to test with.
func part(t *data.GoTree) int {
	h := fnv.New32a()
	io.WriteString(h, path.Dir(t.File)) // never fails
	return int(h.Sum32() % 10)
}

const (
	lastTrain = 6
	dev       = 7
)

func options() data.GoOptions {
	return data.GoOptions{
		Names:   data.GoPredeclaredNames,
		Include: func(path string) bool { return !strings.HasSuffix(path, "_test.go") },
	}
}

// read makes the corpus of all Go files but tests. It reads them twice, to count and to
// encode, and holds no more than what is needed.
func read(fsys fs.FS, c config) (*corpus, error) {
	out, err := survey(fsys, c)
	if err != nil {
		return nil, err
	}
	inTrain := map[string]bool{}
	var held []example // of dev and test, until all of train is known
	for t, err := range data.GoTrees(fsys, options()) {
		if err != nil {
			return nil, err
		}
		if t.Len() >= c.giant {
			out.giants = append(out.giants, encode(t, out.terms, 0))
		}
		class := slices.Index(out.classes, firstWord(t.Name))
		if class < 0 {
			continue
		}
		e := encode(t, out.terms, int32(class))
		if e.part = part(t); e.part <= lastTrain {
			out.train = append(out.train, e)
			inTrain[e.key()] = true
		} else {
			held = append(held, e)
		}
	}
	return out, out.hold(held, inTrain)
}

// hold fills the sets that are not trained on, with what training does not have.
func (c *corpus) hold(examples []example, inTrain map[string]bool) error {
	for _, e := range examples {
		switch {
		case inTrain[e.key()]:
			c.copies++
		case e.part == dev:
			c.dev = append(c.dev, e)
		default:
			c.test = append(c.test, e)
		}
	}
	if min(len(c.train), len(c.dev), len(c.test)) == 0 {
		return fmt.Errorf("found %d functions to train on, %d for development and %d to test with, want some of each",
			len(c.train), len(c.dev), len(c.test))
	}
	return nil
}

// survey counts what there is. Terms and words are those of the packages to train on.
func survey(fsys fs.FS, c config) (*corpus, error) {
	out := &corpus{}
	packages := map[string]map[string]int{} // word, directory, functions
	var broken error
	out.terms = data.BuildVocabulary(func(yield func(string) bool) {
		for t, err := range data.GoTrees(fsys, options()) {
			if err != nil {
				broken = err
				return
			}
			out.functions++
			out.nodes += t.Len()
			if part(t) > lastTrain {
				continue
			}
			word := firstWord(t.Name)
			if packages[word] == nil {
				packages[word] = map[string]int{}
			}
			packages[word][path.Dir(t.File)]++
			data.GoTerms(t)(yield)
		}
	}, data.VocabularyOptions{MinCount: 5})
	out.classes = frequent(packages, c)
	return out, broken
}

// frequent returns the words that begin the names of the most functions, of those that
// do so in many packages.
func frequent(packages map[string]map[string]int, c config) []string {
	count := map[string]int{}
	for word, in := range packages {
		if len(in) < c.packages {
			continue
		}
		for _, n := range in {
			count[word] += n
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	return words[:min(c.classes, len(words))]
}

// describe says what the corpus holds.
func (c *corpus) describe(w io.Writer) {
	fmt.Fprintf(w, "%d functions of %d nodes, %d terms; of these, the names of %d begin with one of %d words:\n  %s\n",
		c.functions, c.nodes, c.terms.Len(), len(c.train)+len(c.dev)+len(c.test)+c.copies, len(c.classes), strings.Join(c.classes, " "))
	for _, s := range []struct {
		name string
		set  []example
	}{{"to train on", c.train}, {"to choose the epoch by", c.dev}, {"to test with", c.test}} {
		nodes := 0
		for _, e := range s.set {
			nodes += len(e.Tree.Word)
		}
		fmt.Fprintf(w, "%-23s %6d functions of %8d nodes\n", s.name, len(s.set), nodes)
	}
	fmt.Fprintf(w, "%-23s %6d functions, which training has as well\n", "left out", c.copies)
}

// majority is the share of the test that has the word most frequent in training.
func (c *corpus) majority() float64 {
	count := make([]int, len(c.classes))
	for _, e := range c.train {
		count[e.Class]++
	}
	most, n := int32(slices.Index(count, slices.Max(count))), 0
	for _, e := range c.test {
		if e.Class == most {
			n++
		}
	}
	return float64(n) / float64(len(c.test))
}
