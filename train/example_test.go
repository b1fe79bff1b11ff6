package train_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

// A model learns that the class of a tree is that of its right half.
func Example() {
	m := graph.NewModule("example")
	model := models.NewTreeLSTM(m, models.TreeLSTMConfig{Vocab: 2, Embed: 4, Hidden: 4, Classes: 2})
	program, err := m.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := exec.New(program, exec.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	type tree struct{ Word, Left, Right, Label []int32 }
	pair := func(a, b int32) tree {
		return tree{Word: []int32{a, b, -1}, Left: []int32{-1, -1, 0}, Right: []int32{-1, -1, 1}, Label: []int32{-1, -1, b}}
	}
	trees := []tree{pair(0, 0), pair(0, 1), pair(1, 0), pair(1, 1)}

	trainer, err := train.NewTrainer[tree](session, model, train.NewAdam(0.05), train.Options{Batch: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if err := trainer.Fit(ctx, trainer.Shuffled(trees), train.Plan{Epochs: 100}); err != nil {
		fmt.Println(err)
		return
	}
	_, err = train.Evaluate(ctx, session, model, slices.Values(trees), 4, func(x tree, o train.Outcome) {
		logits := o.Outputs[0].F
		fmt.Println(x.Word[:2], "->", slices.Index(logits, slices.Max(logits)))
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [0 0] -> 0
	// [0 1] -> 1
	// [1 0] -> 0
	// [1 1] -> 1
}
