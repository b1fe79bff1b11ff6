package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/treelstm/internal/treepage"
)

// drawTrees writes a page that shows what the model says about the trees. Half a page
// is not left behind.
func (m *model) drawTrees(ctx context.Context, path string, trees []*data.Tree, out io.Writer) error {
	w, err := create(path)
	if err != nil {
		return fmt.Errorf("-html: %w", err)
	}
	err = m.writePage(ctx, w, trees)
	if err = errors.Join(err, w.Close()); err != nil {
		return errors.Join(fmt.Errorf("-html %s: %w", path, err), removeFile(path))
	}
	nodes := 0
	for _, t := range trees {
		nodes += t.Len()
	}
	_, err = fmt.Fprintf(out, "%s: %s, %s\n", path, count(len(trees), "tree"), count(nodes, "node"))
	return err
}

// removeFile removes a regular file, but neither a device nor a link to one.
func removeFile(path string) error {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return os.Remove(path)
}

func (m *model) writePage(ctx context.Context, w io.Writer, trees []*data.Tree) error {
	page, err := treepage.New(w, treepage.Head{Title: "What the model says", Notes: []string{m.String()}, Classes: m.config.pageClasses()})
	if err != nil {
		return err
	}
	err = m.predict(ctx, trees, func(t *data.Tree, o train.Outcome) error {
		return page.Add(m.pageTree(t, o))
	})
	return errors.Join(err, page.Close())
}

// pageClasses names the classes where their meaning is known.
func (c config) pageClasses() []treepage.Class {
	switch {
	case c.Data != "" && c.Classes == sentimentClasses:
		return treepage.Graded("very negative", "negative", "neutral", "positive", "very positive")
	case c.Data != "" && c.Classes == 2:
		return treepage.Graded("negative", "positive")
	}
	return treepage.Numbered(c.Classes)
}

func (m *model) pageTree(t *data.Tree, o train.Outcome) treepage.Tree {
	p := treepage.Tree{Tree: t, Probabilities: make([][]float64, t.Len()), Unknown: make([]bool, t.Len())}
	for i, logits := range rows(o.Tables["logits"]) {
		p.Probabilities[i] = probabilities(logits)
	}
	for i, word := range t.Word {
		p.Unknown[i] = word != "" && m.vocabulary.ID(word) <= 0
	}
	return p
}
