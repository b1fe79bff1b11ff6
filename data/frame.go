package data

import (
	"bytes"
	"io"
)

// A framer finds where trees begin and end in a stream, by their brackets alone.
//
// Note [Unclosed brackets]. A bracket that is never closed swallows all that follows,
// and this shows only at the end of the input or of the limit. The framer then goes
// back to the first line behind it that starts with a bracket, and reads on from
// there. To do so in linear time, however many brackets are broken, it keeps the
// offsets of all brackets that are open where it has scanned to. The match of a
// bracket depends only on the text behind it; so when the framer comes by again, a
// bracket in that list is known not to be closed before that place, and one that is
// not in the list is known to be. Nothing is scanned more than twice.
type framer struct {
	input window
	limit int64
	open  []int64 // offsets of the brackets open at input.scan, outermost first
	last  int     // the number of the last line, once the end is in the window
}

// frame is the text of one tree, from its first bracket to the last. It is valid until
// the next call.
type frame struct {
	text []byte
	at   Position
}

func newFramer(r io.Reader, limit int) framer {
	return framer{input: window{r: r, line: 1}, limit: int64(limit)}
}

// next returns the next frame, a *SyntaxError without a file name, io.EOF, or an error
// of the input.
func (f *framer) next() (frame, error) {
	w := &f.input
	if err := w.discard(isBlank); err != nil {
		return frame{}, err
	}
	switch {
	case w.at == len(w.buf):
		return frame{}, io.EOF
	case w.buf[w.at] != '(':
		return frame{}, f.stray()
	}
	place := w.position()
	length, err := f.match()
	if err != nil {
		return frame{}, err
	}
	text := w.buf[w.at : w.at+length]
	w.advance(length)
	return frame{text, place}, nil
}

// match returns the length of the tree that begins here.
func (f *framer) match() (int, error) {
	w := &f.input
	root := w.offset(w.at)
	if w.scan <= w.at {
		w.scan, f.open = w.at, f.open[:0]
	} else if f.forget(root); len(f.open) == 0 || f.open[0] != root {
		return balanced(w.buf[w.at:w.scan]), nil
	}
	for {
		if f.scan(root) {
			return w.scan - w.at, nil
		}
		switch {
		case w.offset(w.scan) == root+f.limit:
			return 0, f.dropLong()
		case w.ended():
			return 0, f.dropUnclosed()
		}
		if err := w.fill(); err != nil {
			return 0, err
		}
	}
}

// forget removes the brackets before an offset from the list of open ones.
func (f *framer) forget(before int64) {
	n := 0
	for n < len(f.open) && f.open[n] < before {
		n++
	}
	f.open = f.open[n:]
}

// scan goes on with matching brackets, up to the end of the buffer or the limit, and
// reports whether the outermost one is closed.
func (f *framer) scan(root int64) bool {
	w, open := &f.input, f.open
	base := w.offset(0)
	end := int(min(int64(len(w.buf)), root+f.limit-base))
	for i, c := range w.buf[w.scan:end] {
		switch c {
		case '(':
			open = append(open, base+int64(w.scan+i))
		case ')':
			open = open[:len(open)-1]
			if len(open) == 0 {
				w.scan += i + 1
				f.open = open
				return true
			}
		}
	}
	w.scan, f.open = end, open
	return false
}

// balanced returns the length of the bracket that text begins with, which is closed
// within text.
func balanced(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// dropUnclosed gives up the bracket at hand, which is open at the end of the input.
func (f *framer) dropUnclosed() error {
	w := &f.input
	if f.last == 0 {
		f.last = w.line + bytes.Count(bytes.TrimSuffix(w.buf[w.at:], []byte{'\n'}), []byte{'\n'})
	}
	err := syntaxError(w.position(), nil, "expected ')' for this bracket, found the end of the input in line %d", f.last)
	w.advance(lineWithBracket(w.buf[w.at:]))
	return err
}

// dropLong gives up the bracket at hand, which is not closed within the limit. Without
// a line to resume at in the window, the text up to its closing bracket goes as well.
func (f *framer) dropLong() error {
	w := &f.input
	err := syntaxError(w.position(), ErrLimit, "expected ')' within %d bytes, found a longer tree", f.limit)
	seen := w.buf[w.at:w.scan]
	skip := lineWithBracket(seen)
	startsLine := seen[len(seen)-1] == '\n'
	w.advance(skip)
	if skip < len(seen) {
		return err
	}
	depth := len(f.open)
	inputErr := w.discard(func(c byte) bool {
		if depth == 0 || c == '(' && startsLine {
			return false
		}
		startsLine = c == '\n'
		depth += int(depthStep[c])
		return true
	})
	if inputErr != nil {
		return inputErr
	}
	return err
}

var depthStep = [256]int8{'(': 1, ')': -1}

// lineWithBracket returns the offset in text of the first line, after the one that
// text begins in, that starts with a bracket, or the length of text.
func lineWithBracket(text []byte) int {
	if i := bytes.Index(text, []byte("\n(")); i >= 0 {
		return i + 1
	}
	return len(text)
}

// stray consumes text outside of trees and describes it. Closing brackets go alone;
// words cast doubt on the rest of their line.
func (f *framer) stray() error {
	w := &f.input
	place := w.position()
	if w.buf[w.at] == ')' {
		if err := w.discard(func(c byte) bool { return c == ')' }); err != nil {
			return err
		}
		return syntaxError(place, nil, "expected '(' to open a tree, found ')'")
	}
	var word []byte
	const enough = 64 // for a message
	inWord := true
	err := w.discard(func(c byte) bool {
		inWord = inWord && classOf[c] == inToken && len(word) < enough
		if inWord {
			word = append(word, c)
		}
		return c != '\n'
	})
	if err != nil {
		return err
	}
	return syntaxError(place, nil, "expected '(' to open a tree, found %s", quote(word))
}
