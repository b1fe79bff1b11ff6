package main

import (
	"context"
	"fmt"
	"io"

	"github.com/frondml/frond/data"
)

// phrase is a tree as a program of yours might hold it.
type phrase struct {
	word        string
	left, right *phrase
	sentiment   int32
}

// add adds the nodes of a phrase, children before their parents.
func add(b *data.Builder, p *phrase) {
	n := data.Node{Word: p.word, Label: p.sentiment}
	if p.left != nil {
		add(b, p.left)
		add(b, p.right)
		n.Arity = 2
	}
	b.Add(n)
}

// own turns a tree of ours into arrays.
func own(_ context.Context, w io.Writer) error {
	good := &phrase{
		left:      &phrase{word: "not", sentiment: data.NoLabel},
		right:     &phrase{word: "bad", sentiment: 0},
		sentiment: 1,
	}
	var b data.Builder
	add(&b, good)
	t, err := b.Tree()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, t, "has the children", t.Left, t.Right)
	return nil
}
