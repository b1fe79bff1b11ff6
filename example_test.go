package frond_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// Tree is a binary tree in post-order; node i is a leaf when Left[i] < 0.
type Tree struct{ Word, Left, Right, Label graph.Value }

// Classifier is a recursive network (Socher et al. 2011): the vector of a leaf is
// that of its word, the vector of an inner node tanh(W [left right]).
func Classifier(m *graph.Module, words, d, classes int) *recursion.SubGraph[Tree, graph.Value] {
	emb := m.Var("emb", graph.F32(words, d), graph.Uniform(0.5))
	w := m.Var("w", graph.F32(d, 2*d), graph.Xavier())
	head := m.Var("head", graph.F32(classes, d), graph.Xavier())
	ids := graph.I32(graph.Any) // a list: its length is known when the program runs

	model := recursion.Declare(m, "classify", Tree{ids, ids, ids, ids}, graph.F32(classes))
	return model.Define(func(t Tree) graph.Value {
		subtree := recursion.Declare(m, "subtree", graph.I32(), graph.F32(d))
		subtree.Define(func(i graph.Value) graph.Value {
			left := ops.At(t.Left, i)
			h := recursion.If(ops.Less(left, m.Int(0)), func() graph.Value {
				return ops.At(emb, ops.At(t.Word, i))
			}, func() graph.Value {
				l, r := subtree.Invoke(left), subtree.Invoke(ops.At(t.Right, i)) // these run together
				return ops.Tanh(ops.MatVec(w, ops.Concat(l, r)))
			})
			recursion.Loss(ops.CrossEntropy(ops.MatVec(head, h), ops.At(t.Label, i)))
			return h
		})
		root := subtree.Invoke(ops.Sub(ops.Len(t.Word), m.Int(1)))
		return ops.MatVec(head, root)
	})
}

// The network learns "not": words 0 to 3 are bad, good, not and very.
func Example() {
	m := graph.NewModule("sentiment")
	model := Classifier(m, 4, 8, 2)
	program, err := m.Build()
	if err != nil {
		fmt.Println(err) // every mistake, with its line
		return
	}
	session, err := exec.New(program, exec.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	type tree struct{ Word, Left, Right, Label []int32 }
	phrase := func(modifier, word, label int32) tree {
		return tree{[]int32{modifier, word, -1}, []int32{-1, -1, 0}, []int32{-1, -1, 1}, []int32{1, word, label}}
	}
	trees := []tree{phrase(2, 0, 1), phrase(2, 1, 0), phrase(3, 0, 0), phrase(3, 1, 1)}

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
	classify, err := exec.Bind[tree, []float32](session, model)
	if err != nil {
		fmt.Println(err)
		return
	}
	words := []string{"bad", "good", "not", "very"}
	for _, t := range trees {
		scores, err := classify(ctx, t)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(words[t.Word[0]], words[t.Word[1]], "is", words[slices.Index(scores, slices.Max(scores))])
	}
	// Output:
	// not bad is good
	// not good is bad
	// very bad is bad
	// very good is good
}
