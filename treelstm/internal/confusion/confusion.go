// Package confusion counts which classes a classifier takes for which.
//
// It keeps the pairs that occur, so that its memory depends on the answers and not on the
// square of the number of classes. It measures nothing that needs probabilities, and
// knows nothing of trees. A Table is not safe for concurrent use; nothing fails but the
// writer that a table is printed to.
package confusion

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// Table counts answers by the right class and the predicted one.
type Table struct {
	counts map[Pair]int
}

// Pair is a right class and what was predicted.
type Pair struct{ Label, Predicted int32 }

// Add counts an answer.
func (t *Table) Add(label, predicted int32) {
	if t.counts == nil {
		t.counts = map[Pair]int{}
	}
	t.counts[Pair{label, predicted}]++
}

// Count returns how often a class was predicted where another, or the same, was right.
func (t *Table) Count(label, predicted int32) int { return t.counts[Pair{label, predicted}] }

// Class is what the table says about one class.
type Class struct {
	Class              int32
	Right              int // predicted where it was right
	Labelled, Answered int // how often it was right, and how often predicted
}

// Precision is the share of the predictions of the class that were right, 0 where there
// are none.
func (c Class) Precision() float64 { return share(c.Right, c.Answered) }

// Recall is the share of what is of the class that was found, 0 where there is nothing.
func (c Class) Recall() float64 { return share(c.Right, c.Labelled) }

// F1 is the harmonic mean of precision and recall.
func (c Class) F1() float64 { return share(2*c.Right, c.Labelled+c.Answered) }

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// Classes returns the classes that are right or predicted somewhere, in order.
func (t *Table) Classes() []Class {
	all := map[int32]Class{}
	for p, n := range t.counts {
		c := all[p.Label]
		c.Labelled += n
		if p.Label == p.Predicted {
			c.Right += n
		}
		all[p.Label] = c
		c = all[p.Predicted]
		c.Answered += n
		all[p.Predicted] = c
	}
	var classes []Class
	for _, class := range slices.Sorted(maps.Keys(all)) {
		c := all[class]
		c.Class = class
		classes = append(classes, c)
	}
	return classes
}

// Errors returns the pairs that are mistakes, the most frequent first.
func (t *Table) Errors() []Pair {
	var pairs []Pair
	for p := range t.counts {
		if p.Label != p.Predicted {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(t.counts[b], t.counts[a]), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Predicted, b.Predicted))
	})
	return pairs
}

// Square says whether the classes are few enough for a table of all pairs.
func Square(classes []Class) bool {
	const most = 20
	return len(classes) <= most
}

// WriteText writes a table with a line per right class and a column per predicted one,
// or, when there are too many for that, the most frequent mistakes.
func (t *Table) WriteText(w io.Writer) error {
	classes := t.Classes()
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if Square(classes) {
		t.square(tab, classes)
	} else {
		t.mistakes(tab)
	}
	return tab.Flush()
}

func (t *Table) square(w io.Writer, classes []Class) {
	fmt.Fprint(w, "label\\predicted\t")
	for _, c := range classes {
		fmt.Fprintf(w, "%d\t", c.Class)
	}
	fmt.Fprint(w, "precision\trecall\tF1\t\n")
	for _, row := range classes {
		fmt.Fprintf(w, "%d\t", row.Class)
		for _, column := range classes {
			fmt.Fprintf(w, "%d\t", t.Count(row.Class, column.Class))
		}
		fmt.Fprintf(w, "%.1f%%\t%.1f%%\t%.1f%%\t\n", 100*row.Precision(), 100*row.Recall(), 100*row.F1())
	}
}

func (t *Table) mistakes(w io.Writer) {
	const most = 20
	pairs := t.Errors()
	fmt.Fprint(w, "label\tpredicted\ttimes\t\n")
	for _, p := range pairs[:min(most, len(pairs))] {
		fmt.Fprintf(w, "%d\t%d\t%d\t\n", p.Label, p.Predicted, t.counts[p])
	}
}
