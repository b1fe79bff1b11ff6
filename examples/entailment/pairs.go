package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/frondml/frond/data"
)

// vocabulary has the words of all statements.
var vocabulary = data.BuildVocabulary(slices.Values([]string{"a", "b", "c", "d", "e", "f", "and", "not", "or"}),
	data.VocabularyOptions{NoUnknown: true})

// statement is the Go side of Statement, pair that of Pair.
type statement struct{ Word, Left, Right []int32 }

type pair struct {
	A, B     statement
	Relation int32
}

// test is what the model is asked about.
type test struct {
	operators int
	source    string
	pairs     []pair
}

type sets struct {
	train []pair
	dev   []pair // for the choice of settings, as long as those to train on
	tests []test
}

// One of so many pairs to train on is held out for development.
const heldOut = 20

// readSets reads the files of the data and generates pairs up to the greatest length.
// Those of shortGenerated operators and more show what is due to the length and what to
// the way of generating. No pair of a test is among those to train on.
func readSets(s settings) (*sets, error) {
	const shortGenerated = 3
	var trained, tests []data.LogicPair
	var r sets
	for n := range s.operators + 1 {
		var errTrain, errTest error
		trained, errTrain = appendFile(trained, s.data, "train", n)
		tests, errTest = appendFile(nil, s.data, "test", n)
		if err := errors.Join(errTrain, errTest); err != nil {
			return nil, err
		}
		r.tests = append(r.tests, test{n, "file", convert(tests)})
	}
	known := map[string]bool{}
	for _, p := range trained {
		known[text(p)] = true
	}
	for n := min(shortGenerated, s.operators+1); n <= s.longest; n++ {
		pairs, err := data.GenerateLogic(s.seed, s.generated, data.LogicOptions{Operators: n})
		if err != nil {
			return nil, err
		}
		pairs = slices.DeleteFunc(pairs, func(p data.LogicPair) bool { return known[text(p)] })
		r.tests = append(r.tests, test{n, "generated", convert(pairs)})
	}
	for i, p := range convert(trained) {
		if i%heldOut == 0 {
			r.dev = append(r.dev, p)
		} else {
			r.train = append(r.train, p)
		}
	}
	r.train = some(r.train, s.pairs)
	return &r, nil
}

// some returns n of the pairs, evenly from all lengths, which are one behind the other;
// all of them if n is 0.
func some(pairs []pair, n int) []pair {
	if n == 0 || n >= len(pairs) {
		return pairs
	}
	chosen := make([]pair, n)
	for i := range chosen {
		chosen[i] = pairs[i*len(pairs)/n]
	}
	return chosen
}

func appendFile(pairs []data.LogicPair, dir, part string, operators int) ([]data.LogicPair, error) {
	read, err := data.ReadLogicFile(filepath.Join(dir, fmt.Sprint(part, operators)))
	return append(pairs, read...), err
}

// text is the same for equal pairs.
func text(p data.LogicPair) string {
	return string(p.B.AppendUnlabelled(append(p.A.AppendUnlabelled(nil), '\t')))
}

func convert(pairs []data.LogicPair) []pair {
	converted := make([]pair, len(pairs))
	for i, p := range pairs {
		converted[i] = pair{A: newStatement(p.A), B: newStatement(p.B), Relation: int32(p.Relation)}
	}
	return converted
}

func newStatement(t *data.Tree) statement {
	return statement{Word: vocabulary.IDs(t), Left: t.Left, Right: t.Right}
}
