package treepage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/frondml/frond/data"
)

// Tree is a tree with what a model says about it.
type Tree struct {
	*data.Tree
	Probabilities [][]float64 // of the classes, by node
	Unknown       []bool      // by node: the model does not know the word; nil for none
}

// most is the number of classes that are told of a node, the most probable ones.
const most = 10

// record is a tree as the script reads it.
type record struct {
	Parent  []int32  `json:"parent"` // -1 for the root
	Word    []string `json:"word"`
	Label   []int32  `json:"label"`   // negative where there is none
	Unknown []int32  `json:"unknown"` // nodes
	Told    int      `json:"told"`    // classes per node
	// Classes are the numbers of the classes told, Permille their probabilities, node
	// by node, the most probable class first.
	Classes  []int32 `json:"classes"`
	Permille []int32 `json:"permille"`
}

// Add writes a tree.
func (p *Page) Add(t Tree) error {
	if err := p.check(t); err != nil {
		return err
	}
	r := record{Parent: parents(t.Tree), Word: t.Word, Label: t.Label, Told: min(p.classes, most), Unknown: []int32{}}
	for i, unknown := range t.Unknown {
		if unknown {
			r.Unknown = append(r.Unknown, int32(i))
		}
	}
	for _, row := range t.Probabilities {
		for _, class := range ranking(row)[:r.Told] {
			r.Classes = append(r.Classes, class)
			r.Permille = append(r.Permille, int32(math.Round(1000*row[class])))
		}
	}
	text, err := json.Marshal(r) // which escapes <, so that no word can end the element
	if err != nil {
		return err
	}
	root := t.Root()
	wrong := ""
	if t.Label[root] >= 0 && t.Label[root] != r.Classes[int(root)*r.Told] {
		wrong = " data-wrong"
	}
	_, err = fmt.Fprintf(p.w, "<script type=\"application/json\" class=\"tree\"%s>%s</script>\n", wrong, text)
	return err
}

func (p *Page) check(t Tree) error {
	if t.Tree == nil {
		return fmt.Errorf("%w: there is none", ErrTree)
	}
	if err := t.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrTree, err)
	}
	if len(t.Probabilities) != t.Len() {
		return fmt.Errorf("%w: got probabilities of %d nodes, want %d", ErrTree, len(t.Probabilities), t.Len())
	}
	if t.Unknown != nil && len(t.Unknown) != t.Len() {
		return fmt.Errorf("%w: got %d entries in Unknown, want %d", ErrTree, len(t.Unknown), t.Len())
	}
	for i, row := range t.Probabilities {
		if len(row) != p.classes || p.classes == 0 {
			return fmt.Errorf("%w: got %d probabilities at node %d, the page has %d classes", ErrTree, len(row), i, p.classes)
		}
		for class, x := range row {
			if !(x >= 0 && x <= 1) { // NaN is neither
				return fmt.Errorf("%w: the probability of class %d at node %d is %v, want 0 to 1", ErrTree, class, i, x)
			}
		}
	}
	return nil
}

func parents(t *data.Tree) []int32 {
	parent := make([]int32, t.Len())
	parent[t.Root()] = -1
	for i := range int32(t.Len()) {
		for _, c := range t.Children(i) {
			parent[c] = i
		}
	}
	return parent
}

// ranking orders the classes by probability, equal ones by number.
func ranking(row []float64) []int32 {
	order := make([]int32, len(row))
	for class := range order {
		order[class] = int32(class)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(row[b], row[a]) })
	return order
}
