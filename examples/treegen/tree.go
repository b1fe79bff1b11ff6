package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/exec"
)

// tree is a sentence as the model reads and writes it: see models.TDTree.
type tree struct{ Word, Left, Right, Next []int32 }

// add appends a phrase and those behind it, and returns the place of its node, -1 when
// there is no phrase.
func (t *tree) add(phrases []*phrase, v *data.Vocabulary) int32 {
	if len(phrases) == 0 {
		return -1
	}
	p := phrases[0]
	left, right, next := t.add(p.left, v), t.add(p.right, v), t.add(phrases[1:], v)
	t.Word = append(t.Word, v.ID(p.word))
	t.Left, t.Right, t.Next = append(t.Left, left), append(t.Right, right), append(t.Next, next)
	return int32(len(t.Word) - 1)
}

func newTrees(all []*phrase, v *data.Vocabulary) []tree {
	trees := make([]tree, len(all))
	for i, p := range all {
		trees[i].add([]*phrase{p}, v)
	}
	return trees
}

// treeOf is the tree that a run of Generate has grown.
func treeOf(out []exec.Array) tree { return tree{out[0].I, out[1].I, out[2].I, out[3].I} }

// phrases returns the phrase of node i and those behind it.
func (t *tree) phrases(i int32, v *data.Vocabulary) (all []*phrase) {
	for ; i >= 0; i = t.Next[i] {
		all = append(all, &phrase{v.Word(t.Word[i]), t.phrases(t.Left[i], v), t.phrases(t.Right[i], v)})
	}
	return all
}

// roots are the phrases beside the artificial root, of which a sentence has one.
func (t *tree) roots(v *data.Vocabulary) []*phrase {
	return t.phrases(int32(len(t.Word)-1), v)
}

// String writes the words in their order, every phrase of several words in brackets.
func (p *phrase) String() string {
	if len(p.left)+len(p.right) == 0 {
		return p.word
	}
	var parts []string
	for _, l := range slices.Backward(p.left) {
		parts = append(parts, l.String())
	}
	parts = append(parts, strings.ToUpper(p.word))
	for _, r := range p.right {
		parts = append(parts, r.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// draw makes phrases by the grammar and returns the mean of -log p over their words.
func draw(g *grammar, n int) (all []*phrase, perWord float64) {
	g.nll = 0
	words := 0
	for range n {
		p := g.sentence()
		all = append(all, p)
		words += p.size()
	}
	return all, g.nll / float64(words)
}

func (p *phrase) size() int {
	n := 1
	for _, d := range slices.Concat(p.left, p.right) {
		n += d.size()
	}
	return n
}

// words yields the words of phrases.
func words(all []*phrase) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		stack := slices.Clone(all)
		for len(stack) > 0 {
			p := stack[len(stack)-1]
			stack = append(slices.Concat(stack[:len(stack)-1], p.left), p.right...)
			if !yield(p.word) {
				return
			}
		}
	}
}

// readSICK returns the sentences of a directory of the SICK data, each once.
func readSICK(dir string) ([]*phrase, error) {
	pairs, err := data.ReadSICK(dir)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var all []*phrase
	for _, pair := range pairs {
		for _, t := range []*data.Tree{pair.A, pair.B} {
			if key := strings.Join(t.Words(), " "); !seen[key] {
				seen[key] = true
				all = append(all, dependents(t, t.Root()))
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there are no sentences", dir)
	}
	return all, nil
}

// without leaves out what is among the others.
func without(all, others []*phrase) []*phrase {
	known := map[string]bool{}
	for _, p := range others {
		known[p.String()] = true
	}
	return slices.DeleteFunc(all, func(p *phrase) bool { return known[p.String()] })
}

// dependents makes a phrase of a node of a dependency tree.
func dependents(t *data.Tree, i int32) *phrase {
	p := &phrase{word: t.Word[i]}
	for _, c := range t.Children(i) {
		if t.Index[c] < t.Index[i] {
			p.left = slices.Insert(p.left, 0, dependents(t, c))
		} else {
			p.right = append(p.right, dependents(t, c))
		}
	}
	return p
}
