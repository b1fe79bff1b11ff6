package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/treelstm/internal/confusion"
)

// evalBatch is the number of trees that are evaluated together.
const evalBatch = 256

// ratio counts right answers.
type ratio struct{ right, all int }

func (r *ratio) add(right bool) {
	r.all++
	if right {
		r.right++
	}
}

// share is 0 when there were no answers.
func (r ratio) share() float64 {
	if r.all == 0 {
		return 0
	}
	return float64(r.right) / float64(r.all)
}

func (r ratio) String() string { return fmt.Sprintf("%.2f%%", 100*r.share()) }

// accuracy counts right answers at roots and at all nodes that have a label.
type accuracy struct {
	loss         float64 // mean per tree
	roots, nodes ratio
	// The same, where five classes mean very negative to very positive, for the
	// question whether a node that is not neutral is positive.
	sentiment                bool
	binaryRoots, binaryNodes ratio
	confusion                confusion.Table // of the roots
}

func (a *accuracy) String() string {
	s := fmt.Sprintf("root %v  nodes %v", a.roots, a.nodes)
	if a.sentiment {
		s += fmt.Sprintf("  binary root %v  nodes %v", a.binaryRoots, a.binaryNodes)
	}
	return s
}

// measure runs the model over the examples.
func (m *model) measure(ctx context.Context, examples []example) (*accuracy, error) {
	a := &accuracy{sentiment: m.config.Data != "" && m.config.Classes == sentimentClasses}
	loss, err := train.Evaluate(ctx, m.session, m.classify, slices.Values(examples), evalBatch, func(e example, o train.Outcome) {
		a.add(e, o)
	})
	a.loss = loss
	return a, err
}

func (a *accuracy) add(e example, o train.Outcome) {
	root := len(e.Label) - 1
	a.answer(&a.roots, &a.binaryRoots, o.Outputs[0].F, e.Label[root])
	if label := e.Label[root]; label >= 0 {
		a.confusion.Add(label, predicted(o.Outputs[0].F))
	}
	for i, logits := range rows(o.Tables["logits"]) {
		a.answer(&a.nodes, &a.binaryNodes, logits, e.Label[i])
	}
}

// answer compares one prediction with the label, which is negative when there is none.
func (a *accuracy) answer(fine, binary *ratio, logits []float32, label int32) {
	if label < 0 {
		return
	}
	fine.add(predicted(logits) == label)
	if a.sentiment && label != neutralGrade {
		p := probabilities(logits)
		binary.add((p[3]+p[4] > p[0]+p[1]) == (label > neutralGrade))
	}
}

// rows iterates over the keys and rows of a table.
func rows(t *exec.Table) func(yield func(int32, []float32) bool) {
	return func(yield func(int32, []float32) bool) {
		for i, key := range t.Keys {
			if !yield(key, t.Row(i)) {
				return
			}
		}
	}
}

// predicted is the class with the largest logit.
func predicted(logits []float32) int32 { return int32(slices.Index(logits, slices.Max(logits))) }

// probabilities is the softmax of the logits.
func probabilities(logits []float32) []float64 {
	p := make([]float64, len(logits))
	largest, sum := slices.Max(logits), 0.0
	for i, x := range logits {
		p[i] = math.Exp(float64(x - largest))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
