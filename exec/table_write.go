package exec

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/frondml/frond/graph"
)

// Len returns the number of rows. The nil table, that of a run in which nothing was
// collected, has none.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.Keys)
}

// WriteCSV writes the table as comma-separated values (RFC 4180, lines ending in \n): a
// heading of key and the numbers of the elements of a row, then a line per row. Numbers
// have as many digits as it takes to read the same float32 back; NaN, +Inf and -Inf are
// written so. The error is the writer's, or wraps ErrInput when the fields of the table
// do not fit together.
func (t *Table) WriteCSV(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	b.WriteString("key")
	for k := range t.width() {
		fmt.Fprintf(b, ",%d", k)
	}
	b.WriteByte('\n')
	t.rows(func(key int32, row []string) {
		b.WriteString(strconv.Itoa(int(key)))
		for _, x := range row {
			b.WriteByte(',')
			b.WriteString(x)
		}
		b.WriteByte('\n')
	})
	return b.Flush() // which returns the first error of all writes
}

// WriteJSONL writes the table as JSON Lines, an object per row:
//
//	{"key":3,"row":[0.25,-1]}
//
// What JSON has no numbers for, NaN and the infinities, is null. Otherwise it is as
// WriteCSV.
func (t *Table) WriteJSONL(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	t.rows(func(key int32, row []string) {
		fmt.Fprintf(b, `{"key":%d,"row":[`, key)
		for k, x := range row {
			if k > 0 {
				b.WriteByte(',')
			}
			if x == "NaN" || x == "+Inf" || x == "-Inf" {
				x = "null"
			}
			b.WriteString(x)
		}
		b.WriteString("]}\n")
	})
	return b.Flush()
}

// check reports a table that a program has put together wrongly.
func (t *Table) check() error {
	if t == nil {
		return nil
	}
	if got, want := max(len(t.Values), len(t.Ints)), len(t.Keys)*t.Width; got != want || t.Width < 0 {
		return fmt.Errorf("%w: a table of %d rows of %d elements has %d elements, want %d", ErrInput, len(t.Keys), t.Width, got, want)
	}
	return nil
}

func (t *Table) width() int {
	if t == nil {
		return 0
	}
	return t.Width
}

func (t *Table) kind() graph.DType {
	if t.Values == nil && t.Ints != nil {
		return graph.Int32
	}
	return graph.Float32
}

// element is the text of element i of all rows, short.
func (t *Table) element(i int) string {
	if t.Values == nil {
		return strconv.Itoa(int(t.Ints[i]))
	}
	return fourDigits(t.Values[i])
}

// rows calls f with the exact text of each row, which f must not keep.
func (t *Table) rows(f func(key int32, row []string)) {
	row := make([]string, t.width())
	for r := range t.Len() {
		for k := range row {
			if i := r*t.Width + k; t.Values == nil {
				row[k] = strconv.Itoa(int(t.Ints[i]))
			} else {
				row[k] = exactly(t.Values[i])
			}
		}
		f(t.Keys[r], row)
	}
}

// exactly prints x as JSON and CSV want it.
func exactly(x float32) string {
	format := byte('g')
	if a := math.Abs(float64(x)); a >= 1e-4 && a < 1e7 {
		format = 'f'
	}
	return strconv.FormatFloat(float64(x), format, -1, 32)
}
