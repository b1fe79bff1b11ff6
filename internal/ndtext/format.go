package ndtext

import (
	"strings"
	"unicode/utf8"
)

const (
	// whole is the number of elements of the largest tensor that is printed entirely.
	whole = 1000
	// edge is how many elements are printed at each end of the axes of larger ones.
	edge = 3
	// most ends the text of tensors whose many axes are all short.
	most = 2000
	// columns is the width at which rows are broken.
	columns = 88
)

const omitted = "..."

// Format returns the text of a row-major tensor. The text of element i is what element
// returns; the first error ends the work.
func Format(shape []int, element func(i int) (string, error)) (string, error) {
	f := formatter{shape: shape, strides: make([]int, len(shape)), element: element}
	size := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		f.strides[axis] = size
		size *= shape[axis]
	}
	if size == 0 {
		return "[]", nil
	}
	f.short = size > whole
	if err := f.collect(0, 0); err != nil {
		return "", err
	}
	for _, w := range f.words {
		f.width = max(f.width, utf8.RuneCountInString(w))
	}
	f.write(0)
	return f.text.String(), nil
}

type formatter struct {
	shape, strides []int
	element        func(int) (string, error)
	short          bool     // elements in the middle are left out
	words          []string // the elements to print, then those not printed yet
	width          int      // of the longest
	text           strings.Builder
	column         int
}

// indices are the places along an axis that are printed; -1 stands for those left out.
func (f *formatter) indices(axis int) []int {
	n := f.shape[axis]
	var all []int
	for i := 0; i < n; i++ {
		if f.short && n > 2*edge && i == edge {
			all = append(all, -1)
			i = n - edge
		}
		all = append(all, i)
	}
	return all
}

// collect gets the elements to print, in their order.
func (f *formatter) collect(axis, offset int) error {
	if len(f.words) >= most {
		return nil
	}
	if axis == len(f.shape) {
		w, err := f.element(offset)
		f.words = append(f.words, w)
		return err
	}
	for _, i := range f.indices(axis) {
		if i < 0 {
			continue
		}
		if err := f.collect(axis+1, offset+i*f.strides[axis]); err != nil {
			return err
		}
	}
	return nil
}

// write prints the part of the tensor that begins with the next of the words.
func (f *formatter) write(axis int) {
	if axis == len(f.shape) {
		f.put(strings.Repeat(" ", f.width-utf8.RuneCountInString(f.words[0])) + f.words[0])
		f.words = f.words[1:]
		return
	}
	f.put("[")
	innermost := axis == len(f.shape)-1
	for k, i := range f.indices(axis) {
		if k > 0 {
			f.separate(axis, innermost)
		}
		if len(f.words) == 0 || i < 0 {
			f.put(omitted)
			if i < 0 && len(f.words) > 0 {
				continue
			}
			break
		}
		f.write(axis + 1)
	}
	f.put("]")
}

// separate goes to the place of the next part of an axis: the next column, or, between
// rows or where there is no room, the next line; blocks have empty lines between them.
func (f *formatter) separate(axis int, innermost bool) {
	if innermost && f.column+1+max(f.width, len(omitted)) < columns {
		f.put(" ")
		return
	}
	lines := 1
	if !innermost {
		lines = len(f.shape) - 1 - axis
	}
	f.text.WriteString(strings.Repeat("\n", min(lines, 2)))
	f.column = 0
	f.put(strings.Repeat(" ", axis+1))
}

func (f *formatter) put(s string) {
	f.text.WriteString(s)
	f.column += utf8.RuneCountInString(s)
}
