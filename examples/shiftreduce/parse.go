package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/models"
	"github.com/frondml/frond/train"
)

// sentence is an expression as the model reads it: see models.ParsedSentence.
type sentence struct{ Word, Transition, Label []int32 }

func newSentence(t *data.Tree, v *data.Vocabulary) sentence {
	s := sentence{Label: t.Label}
	for i, word := range v.IDs(t) {
		if t.IsLeaf(int32(i)) {
			s.Word, s.Transition = append(s.Word, word), append(s.Transition, models.Shift)
		} else {
			s.Transition = append(s.Transition, models.Reduce)
		}
	}
	return s
}

func (p *interpreter) sentences(trees []*data.Tree) []sentence {
	all := make([]sentence, len(trees))
	for i, t := range trees {
		all[i] = newSentence(t, p.vocabulary)
	}
	return all
}

// accuracy counts what was right.
type accuracy struct {
	transitions, rightTransitions int
	sentences, trees, roots       int
	told                          int // roots, had the trees been told
}

func (a accuracy) String() string {
	percent := func(part, all int) float64 { return 100 * float64(part) / float64(all) }
	return fmt.Sprintf("transitions %5.1f %%, trees %5.1f %%, values %5.1f %% (%.1f %% with the given trees)",
		percent(a.rightTransitions, a.transitions), percent(a.trees, a.sentences), percent(a.roots, a.sentences), percent(a.told, a.sentences))
}

// parse lets the model parse the sentences and compares with their trees and values.
func (p *interpreter) parse(ctx context.Context, all []sentence) (a accuracy, err error) {
	const batch = 100
	_, err = train.Evaluate(ctx, p.session, p.model.Parse, slices.Values(all), batch, func(in sentence, o train.Outcome) {
		a.sentences++
		made := o.Tables["transition"].Ints
		for k, t := range in.Transition {
			a.transitions++
			if made[k] == t {
				a.rightTransitions++
			}
		}
		if slices.Equal(made, in.Transition) {
			a.trees++
		}
		if largest(o.Outputs[0].F) == in.value() {
			a.roots++
		}
	})
	if err != nil {
		return a, err
	}
	_, err = train.Evaluate(ctx, p.session, p.model.Train, slices.Values(all), batch, func(in sentence, o train.Outcome) {
		if largest(o.Outputs[0].F) == in.value() {
			a.told++
		}
	})
	return a, err
}

// value is that of the root.
func (s sentence) value() int32 { return s.Label[len(s.Label)-1] }

func largest(x []float32) int32 { return int32(slices.Index(x, slices.Max(x))) }

// bracket writes a tree given by its transitions.
func bracket(words []string, transitions []int32) string {
	var stack []string
	for _, t := range transitions {
		if t == models.Shift {
			stack, words = append(stack, words[0]), words[1:]
			continue
		}
		top := len(stack) - 1
		stack = append(stack[:top-1], "("+stack[top-1]+" "+stack[top]+")")
	}
	return stack[0]
}
