// Jsontree learns from examples which filters of a document database are decided before
// any record is read: those that match always, and those that never do. A filter is a
// JSON document, and what it means follows from how its parts are nested: counting the
// parts does not tell.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

type config struct {
	seed         uint64
	train, test  int // filters
	depth, extra int // of the filters, and how much deeper the second test goes
	hidden       int
	epochs       int
}

// example is the Go side of models.LabelledTree and of the bag of its nodes.
type example struct {
	Tree  struct{ Word, Start, Child []int32 }
	Label []int32 // of the nodes: only the root has one
	Count []float32
	Class int32
}

// sets are the filters to train on, to test with, and deeper ones to test with.
type sets struct{ train, test, deeper []example }

func prepare(c config) (sets, *data.JSONIDs, error) {
	rng, seen := rand.New(rand.NewPCG(c.seed, 1)), map[string]bool{}
	var documents [3][]*data.Tree
	for i, s := range []struct{ n, depth int }{{c.train, c.depth}, {c.test, c.depth}, {c.test, c.depth + c.extra}} {
		text, err := write(rng, s.n, s.depth, seen)
		if err != nil {
			return sets{}, nil, err
		}
		for document, err := range data.NewJSONReader(bytes.NewReader(text), "filters", data.JSONOptions{Lines: true}).All() {
			if err != nil {
				return sets{}, nil, err
			}
			documents[i] = append(documents[i], document)
		}
	}
	keys := data.BuildVocabulary(data.JSONKeys(documents[0]...), data.VocabularyOptions{})
	ids, err := data.NewJSONIDs(keys, 16)
	if err != nil {
		return sets{}, nil, err
	}
	var examples [3][]example
	for i, set := range documents {
		for j, document := range set {
			e, err := encode(ids, document, int32(j)%int32(verdicts))
			if err != nil {
				return sets{}, nil, err
			}
			examples[i] = append(examples[i], e)
		}
	}
	return sets{examples[0], examples[1], examples[2]}, ids, nil
}

func encode(ids *data.JSONIDs, document *data.Tree, class int32) (example, error) {
	words, err := ids.IDs(document)
	if err != nil {
		return example{}, err
	}
	e := example{Label: slices.Repeat([]int32{-1}, document.Len()), Count: make([]float32, ids.Len()), Class: class}
	e.Tree.Word, e.Tree.Start, e.Tree.Child = words, document.ChildStart, document.Child
	e.Label[document.Root()] = class
	for _, w := range words {
		e.Count[w]++
	}
	return e, nil
}

// bag is the input of a model that does not see how the nodes are nested.
type bag struct{ Count, Class graph.Value } // f32 [ids], i32

func linear(m *graph.Module, ids int) *recursion.SubGraph[bag, models.Scores] {
	layer := models.NewLinear(m, "W", "b", ids, int(verdicts))
	model := recursion.Declare(m, "linear", bag{graph.F32(ids), graph.I32()}, models.Scores{Logits: graph.F32(int(verdicts))})
	return model.Define(func(in bag) models.Scores {
		logits := layer.Apply(in.Count)
		recursion.Loss(ops.CrossEntropy(logits, in.Class))
		return models.Scores{Logits: logits}
	})
}

// fit trains a model and returns the shares of the test sets that it gets right.
func fit[I any](ctx context.Context, w io.Writer, c config, m *graph.Module, model *recursion.SubGraph[I, models.Scores],
	rate float64, s sets) (test, deeper float64, err error) {
	program, err := m.Build()
	if err != nil {
		return 0, 0, err
	}
	session, err := exec.New(program, exec.Options{Seed: c.seed, Deterministic: true})
	if err != nil {
		return 0, 0, err
	}
	defer session.Close()
	trainer, err := train.NewTrainer[example](session, model, train.NewAdam(rate), train.Options{Batch: 25, Seed: c.seed})
	if err != nil {
		return 0, 0, err
	}
	err = trainer.Fit(ctx, trainer.Shuffled(s.train), train.Plan{Epochs: c.epochs, OnEpoch: func(e train.EpochStats) error {
		if e.Epoch == 1 || e.Epoch == c.epochs {
			fmt.Fprintf(w, "%s, epoch %d: loss %.3f\n", model.Graph().Name, e.Epoch, e.Loss)
		}
		return nil
	}})
	if err != nil {
		return 0, 0, err
	}
	classify, err := exec.BindBatch[example, logits](session, model)
	if err != nil {
		return 0, 0, err
	}
	if test, err = accuracy(ctx, classify, s.test); err != nil {
		return 0, 0, err
	}
	deeper, err = accuracy(ctx, classify, s.deeper)
	return test, deeper, err
}

// logits is the Go side of models.Scores.
type logits struct{ Logits []float32 }

func accuracy(ctx context.Context, classify func(context.Context, []example) ([]logits, error), set []example) (float64, error) {
	scores, err := classify(ctx, set)
	if err != nil {
		return 0, err
	}
	right := 0
	for i, s := range scores {
		if slices.Index(s.Logits, slices.Max(s.Logits)) == int(set[i].Class) {
			right++
		}
	}
	return float64(right) / float64(len(set)), nil
}

// row is a line of the result: shares of filters that are right.
type row struct {
	name         string
	test, deeper float64
}

// compare trains both models.
func compare(ctx context.Context, w io.Writer, c config) ([]row, error) {
	s, ids, err := prepare(c)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%d filters to train on, as many of each of %v\n", len(s.train), verdictNames)
	rows := []row{{"always the same answer", 1. / float64(verdicts), 1. / float64(verdicts)}, {name: "counts of nodes, linear"}, {name: "Tree-GRU"}}

	m := graph.NewModule("bag")
	rows[1].test, rows[1].deeper, err = fit(ctx, w, c, m, linear(m, ids.Len()), 0.01, s)
	if err != nil {
		return nil, err
	}
	m = graph.NewModule("jsontree")
	rows[2].test, rows[2].deeper, err = fit(ctx, w, c, m, models.NewTreeGRU(m, models.TreeGRUConfig{
		Vocab: ids.Len(), Embed: c.hidden, Hidden: c.hidden, Classes: int(verdicts),
	}), 0.005, s)
	return rows, err
}

func run(ctx context.Context, w io.Writer, c config) error {
	rows, err := compare(ctx, w, c)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-23s %8s %8s\n", "right", "as deep", "deeper")
	for _, r := range rows {
		fmt.Fprintf(w, "%-23s %7.1f%% %7.1f%%\n", r.name, 100*r.test, 100*r.deeper)
	}
	return nil
}

func main() {
	seed := flag.Uint64("seed", 1, "of the filters and of training")
	quick := flag.Bool("quick", false, "less of everything, for a first look")
	flag.Parse()
	c := config{seed: *seed, train: 12000, test: 1500, depth: 3, extra: 2, hidden: 48, epochs: 8}
	if *quick {
		c = quickConfig(*seed)
	}
	start := time.Now()
	if err := run(context.Background(), os.Stdout, c); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f s\n", time.Since(start).Seconds())
}

func quickConfig(seed uint64) config {
	return config{seed: seed, train: 1200, test: 300, depth: 2, extra: 1, hidden: 24, epochs: 8}
}
