package contender

import (
	"fmt"
	"math"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/exec"
)

// Contender is a model of trees that is executed in some way.
type Contender interface {
	Name() string
	// Infer evaluates a mini-batch up to the scores of the roots and returns the
	// sum of the losses of all nodes.
	Infer(b *Batch) (float64, error)
	// Train does a step of Adagrad and returns the sum of the losses before it.
	Train(b *Batch) (float64, error)
	Close() error
}

// Counter is a contender that counts what it executes.
type Counter interface {
	Stats() exec.Stats
	ResetStats()
}

// Setting is what the contenders of a race have in common.
type Setting struct {
	Model         Model // "" stands for TreeLSTM
	Corpus        *corpus.Corpus
	Embed, Hidden int
	Workers       int
}

// seed makes the initial parameters.
const seed = 1

// The parameters of Adagrad in all contenders.
const (
	rate = 0.01
	eps  = 1e-8
)

// Batch is a mini-batch in the forms in which contenders take it. Like the loading
// of a corpus, making it is no part of a race.
type Batch struct {
	Trees  []*corpus.Tree
	inputs [][]exec.Array
}

// Batches divides trees into mini-batches of the given size; trees that are left
// over are left out.
func Batches(trees []*corpus.Tree, size int) []*Batch {
	var batches []*Batch
	for i := 0; i+size <= len(trees); i += size {
		b := &Batch{Trees: trees[i : i+size]}
		for _, t := range b.Trees {
			b.inputs = append(b.inputs, arrays(t))
		}
		batches = append(batches, b)
	}
	return batches
}

// arrays are the inputs of models.BinaryTree.
func arrays(t *corpus.Tree) []exec.Array {
	n := []int{t.Len()}
	return []exec.Array{{Shape: n, I: t.Word}, {Shape: n, I: t.Left}, {Shape: n, I: t.Right}, {Shape: n, I: t.Label}}
}

// tolerance is the relative difference between losses of contenders that round
// differently.
const tolerance = 2e-4

// Agree checks that all contenders report equal losses, in inference and in some
// steps of training, which it does.
func Agree(contenders []Contender, batches []*Batch) error {
	for step, b := range batches {
		var want [2]float64
		for i, c := range contenders {
			infer, err := c.Infer(b)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name(), err)
			}
			train, err := c.Train(b)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name(), err)
			}
			got := [2]float64{infer, train}
			if i == 0 {
				want = got
			}
			for k := range got {
				if d := math.Abs(got[k] - want[k]); !(d <= tolerance*math.Abs(want[k])) {
					return fmt.Errorf("step %d: %s has losses %v (inference, training), %s has %v",
						step, c.Name(), got, contenders[0].Name(), want)
				}
			}
		}
	}
	return nil
}
