package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/frondml/frond/data"
)

// Where five classes are grades from very negative to very positive, the middle one is
// neutral. Two classes are made of them by leaving it out.
const (
	sentimentClasses = 5
	neutralGrade     = sentimentClasses / 2
	binaryClasses    = 2
)

// findGrades decides, where there are to be two classes, whether the labels of a file are
// these or grades: they are grades when all of them occur. The configuration keeps the
// answer, so that other files are read alike.
func (c *config) findGrades(file string) error {
	if c.Classes != binaryClasses || c.Grades != 0 {
		return nil
	}
	graded := *c
	graded.Grades = sentimentClasses
	trees, err := graded.readTreebank(file, io.Discard)
	if err == nil && hasAllGrades(trees) {
		c.Grades = sentimentClasses
		return nil
	}
	if _, err := c.readTreebank(file, io.Discard); errors.Is(err, data.ErrSyntax) {
		return fmt.Errorf("%w\n(-classes %d wants labels 0 and 1, or all of the grades 0 to %d, which not all occur)", err, binaryClasses, sentimentClasses-1)
	}
	return nil // what else is wrong with the file is reported where it is read
}

func hasAllGrades(trees []*data.Tree) bool {
	var seen [sentimentClasses]bool
	for _, t := range trees {
		for _, label := range t.Label {
			if label >= 0 {
				seen[label] = true
			}
		}
	}
	return seen == [sentimentClasses]bool{true, true, true, true, true}
}

// fold makes two classes of grades. Neutral nodes lose their label, trees with neutral
// roots are left out, as Socher et al. (2013) and Tai et al. (2015) do.
func (c config) fold(path string, trees []*data.Tree) (corpus, error) {
	folded := corpus{name: path}
	for _, t := range trees {
		foldLabels(t)
		if t.Label[t.Root()] == data.NoLabel {
			folded.neutral++
			continue
		}
		folded.trees = append(folded.trees, t)
	}
	if len(folded.trees) == 0 {
		return folded, fmt.Errorf("%s: %w: expected a tree whose root is not neutral (%d), found none among %d",
			path, data.ErrEmpty, neutralGrade, len(trees))
	}
	return folded, nil
}

// foldLabels makes two classes of the grades of a tree.
func foldLabels(t *data.Tree) {
	for i, label := range t.Label {
		switch {
		case label > neutralGrade:
			t.Label[i] = 1
		case label == neutralGrade:
			t.Label[i] = data.NoLabel
		case label >= 0:
			t.Label[i] = 0
		}
	}
}
