package data

import (
	"math"
	"strconv"
)

// textVectors reads VectorText.
type textVectors struct {
	lines   lineReader
	want    int // elements, 0 when not known
	count   int // by the header
	line    []byte
	numbers int // where the elements begin in line
}

func (t *textVectors) dim() int      { return t.want }
func (t *textVectors) declared() int { return t.count }
func (t *textVectors) end() Position { return Position{t.lines.name, t.lines.line + 1, 1} }

func (t *textVectors) next() ([]byte, Position, error) {
	line, err := t.lines.next()
	if err == nil && t.lines.line == 1 {
		if words, dim, ok := vectorHeader(line); ok {
			if err := checkVectorDim(t.lines.at(0), dim, t.want); err != nil {
				return nil, Position{}, err
			}
			t.want, t.count = dim, words
			line, err = t.lines.next()
		}
	}
	if err != nil {
		return nil, Position{}, err
	}
	t.line = trimRight(line)
	if t.want == 0 {
		if err := t.measure(); err != nil {
			return nil, Position{}, err
		}
	}
	end, err := t.split()
	return t.line[:end], t.lines.at(0), err
}

// measure takes the number of elements from the first line: as many numbers as stand
// at its end, one field at least being the word.
func (t *textVectors) measure() error {
	n, at := 0, len(t.line)
	for at > 0 {
		start := lastField(t.line[:at])
		if _, err := strconv.ParseFloat(string(t.line[start:at]), 32); err != nil || start == 0 {
			break
		}
		n++
		at = len(trimRight(t.line[:start]))
	}
	switch {
	case n == 0:
		return t.lines.errorf(0, nil, "expected a word and its numbers, found %s", quote(t.line))
	case n > MaxVectorDim:
		return t.lines.errorf(0, ErrLimit, "expected a word and at most %d numbers, found %d", MaxVectorDim, n)
	}
	t.want = n
	return nil
}

// split finds the end of the word and the beginning of the numbers, from the right.
func (t *textVectors) split() (int, error) {
	at := len(t.line)
	for n := range t.want {
		start := lastField(t.line[:at])
		if start == 0 {
			found := n
			if at > 0 {
				found++
			}
			return 0, t.lines.errorf(0, nil, "expected a word and %d numbers, found %d fields", t.want, found)
		}
		t.numbers = start
		at = len(trimRight(t.line[:start]))
	}
	if at == 0 {
		return 0, t.lines.errorf(0, nil, "expected a word before the %d numbers, found none", t.want)
	}
	if start := lastField(t.line[:at]); start > 0 {
		if _, err := strconv.ParseFloat(string(t.line[start:at]), 32); err == nil {
			return 0, t.lines.errorf(start, nil, "expected a word and %d numbers, found one more number %s", t.want, quote(t.line[start:at]))
		}
	}
	return at, nil
}

// lastField returns where the last field of line begins.
func lastField(line []byte) int {
	i := len(line)
	for i > 0 && !isBlank(line[i-1]) {
		i--
	}
	return i
}

// trimRight drops the ASCII blanks at the end of line.
func trimRight(line []byte) []byte {
	n := len(line)
	for n > 0 && isBlank(line[n-1]) {
		n--
	}
	return line[:n]
}

func (t *textVectors) vector() ([]float32, error) {
	v := make([]float32, 0, t.want)
	for at, field := range fields(t.line[t.numbers:]) {
		x, err := strconv.ParseFloat(string(field), 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, t.lines.errorf(t.numbers+at, nil, "expected a finite float32 as element %d of %d, found %s", len(v)+1, t.want, quote(field))
		}
		v = append(v, float32(x))
	}
	return v, nil
}
