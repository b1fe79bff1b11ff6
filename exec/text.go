package exec

import (
	"fmt"
	"strconv"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/ndtext"
)

// Text prints the array for people: its type, and on further lines the elements in
// nested brackets with four digits; of a large array only the ends of each axis. It
// tells when the elements do not fit the shape. String prints all elements, exactly.
func (a Array) Text() string {
	kind := graph.Float32
	if a.F == nil {
		kind = graph.Int32
	}
	what := graph.T(kind, a.Shape...).String()
	if got, want := max(len(a.F), len(a.I)), graph.Shape(a.Shape).Size(); got != want {
		return fmt.Sprintf("%s with %d elements in place of %d", what, got, want)
	}
	return what + elements(a.Shape, func(i int) string { return a.element(i) })
}

func (a Array) element(i int) string {
	if a.F != nil {
		return fourDigits(a.F[i])
	}
	return strconv.Itoa(int(a.I[i]))
}

func fourDigits(x float32) string { return strconv.FormatFloat(float64(x), 'g', 4, 32) }

// elements prints those of a tensor: behind its type when there is one, else below.
func elements(shape []int, element func(int) string) string {
	text, _ := ndtext.Format(shape, func(i int) (string, error) { return element(i), nil })
	if len(shape) == 0 {
		return " " + text
	}
	return "\n" + text
}

// Text prints the table for people: a line per row, the key first. Of a large table it
// shows the first rows and the last, of wide rows the first elements and the last.
func (t *Table) Text() string {
	if err := t.check(); err != nil {
		return err.Error()
	}
	if t.Len() == 0 {
		return "no rows"
	}
	what := fmt.Sprintf("%d rows of %s[%d], by key", len(t.Keys), t.kind(), t.Width)
	return what + elements([]int{len(t.Keys), t.Width + 1}, func(i int) string {
		row, column := i/(t.Width+1), i%(t.Width+1)
		if column == 0 {
			return strconv.Itoa(int(t.Keys[row])) + ":"
		}
		return t.element(row*t.Width + column - 1)
	})
}
