package models_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

// A network over binary trees is a cell: here a GRU reads the right child with the left
// one as its state.
func ExampleClassify() {
	const size, classes = 50, 5
	m := graph.NewModule("mine")
	words := models.NewEmbedding(m, "E", 1000, size)
	cell := models.NewGRUCell(m, "", size, size)
	models.Classify(m, "mine", size, classes, models.Cell[graph.Value]{
		State:  graph.F32(size),
		Leaf:   words.Apply,
		Join:   func(left, right graph.Value) graph.Value { return cell.Apply(right, left) },
		Hidden: func(h graph.Value) graph.Value { return h },
	})
	p, err := m.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range p.Variables {
		fmt.Print(v.Name, v.Type.Shape, " ")
	}
	// Output:
	// E[1000 50] Wz[50 50] Uz[50 50] bz[50] Wr[50 50] Ur[50 50] br[50] Wc[50 50] Uc[50 50] bc[50] Ws[5 50] bs[5]
}

// example is named as models.LabelledTree is.
type example struct {
	Tree struct {
		Word, Start, Child []int32
	}
	Label []int32
}

// Trees of any arity go into one mini-batch. Here the label of a node is the largest
// number below it, and leaves have none.
func ExampleNewTreeGRU() {
	const treebank = `(2 (_ 0) (_ 2) (_ 1)) (1 (_ 1) (1 (_ 0) (_ 1) (_ 0) (_ 0)))
		(0 (0 (_ 0))) (2 (2 (_ 2) (_ 2)) (1 (_ 1))) (1 (_ 0) (0 (_ 0) (_ 0)) (_ 1))`
	vocabulary := data.BuildVocabulary(slices.Values([]string{"0", "1", "2"}), data.VocabularyOptions{})
	var examples []example
	for t, err := range data.NewPTBReader(strings.NewReader(treebank), "", data.PTBOptions{}).All() {
		if err != nil {
			fmt.Println(err)
			return
		}
		e := example{Label: t.Label}
		e.Tree.Word, e.Tree.Start, e.Tree.Child = vocabulary.IDs(t), t.ChildStart, t.Child
		examples = append(examples, e)
	}
	learned, err := learnLargest(context.Background(), vocabulary.Len(), examples)
	fmt.Println(learned, err)
	// Output:
	// [2 1 0 2 1] <nil>
}

// learnLargest trains a Tree-GRU and returns the classes that it then gives to the roots.
func learnLargest(ctx context.Context, vocabulary int, examples []example) (classes []int, err error) {
	m := graph.NewModule("largest")
	model := models.NewTreeGRU(m, models.TreeGRUConfig{Vocab: vocabulary, Embed: 8, Hidden: 8, Classes: 3})
	program, err := m.Build()
	if err != nil {
		return nil, err
	}
	session, err := exec.New(program, exec.Options{Seed: 1})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	trainer, err := train.NewTrainer[example](session, model, train.NewAdam(0.02), train.Options{Batch: len(examples)})
	if err != nil {
		return nil, err
	}
	if err := trainer.Fit(ctx, trainer.Shuffled(examples), train.Plan{Epochs: 100}); err != nil {
		return nil, err
	}
	_, err = train.Evaluate(ctx, session, model, slices.Values(examples), len(examples), func(_ example, o train.Outcome) {
		logits := o.Outputs[0].F
		classes = append(classes, slices.Index(logits, slices.Max(logits)))
	})
	return classes, err
}
