package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"
)

// MaxLineBytes limits a line of the formats that go by lines: all but bracketed trees,
// binary word vectors and documents of JSON.
const MaxLineBytes = 16 << 20

// A Source is an input with the name by which errors call it.
type Source struct {
	Name string
	R    io.Reader
}

// lineReader reads lines and counts them. Line ends may be LF or CRLF, the last one
// may be missing, and a byte order mark in front is dropped.
type lineReader struct {
	name string
	r    *bufio.Reader
	line int    // the number of the line that next returned
	long []byte // scratch for lines that exceed the buffer of r
}

func newLineReader(s Source) lineReader {
	return lineReader{name: s.Name, r: bufio.NewReaderSize(s.R, 64<<10)}
}

// next returns the next line, valid until the call after, and io.EOF behind the last
// one. A line that is too long is dropped with a *SyntaxError, after which next may
// be called again; other errors are final.
func (l *lineReader) next() ([]byte, error) {
	text, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], text...)
		for err == bufio.ErrBufferFull {
			text, err = l.r.ReadSlice('\n')
			if len(l.long) <= MaxLineBytes {
				l.long = append(l.long, text...)
			}
		}
		text = l.long
	}
	if err != nil && err != io.EOF {
		return nil, inputError(l.name, err)
	}
	if len(text) == 0 {
		return nil, io.EOF
	}
	l.line++
	text = bytes.TrimSuffix(text, []byte{'\n'})
	text = bytes.TrimSuffix(text, []byte{'\r'})
	if l.line == 1 {
		text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	}
	if len(text) > MaxLineBytes {
		return nil, l.errorf(0, ErrLimit, "expected at most %d bytes in a line, found more", MaxLineBytes)
	}
	return text, nil
}

// inputError wraps an error of an io.Reader.
func inputError(name string, err error) error {
	if name == "" {
		name = "input"
	}
	return fmt.Errorf("data: reading %s: %w", name, err)
}

// at returns the position of an offset in the current line.
func (l *lineReader) at(offset int) Position { return Position{l.name, l.line, offset + 1} }

func (l *lineReader) errorf(offset int, sentinel error, format string, args ...any) *SyntaxError {
	return syntaxError(l.at(offset), sentinel, format, args...)
}

// checkUTF8 returns a *SyntaxError at the first byte of the current line that is not
// UTF-8, or nil.
func (l *lineReader) checkUTF8(line []byte) error {
	if f := encodingFault(line); f != nil {
		return l.errorf(f.offset, f.sentinel, f.format, f.args...)
	}
	return nil
}

func encodingFault(text []byte) *fault {
	if utf8.Valid(text) {
		return nil
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return &fault{i, nil, "expected UTF-8 text, found byte 0x%02X", []any{text[i]}}
		}
		i += n
	}
}

// fields iterates over what stands between the ASCII blanks of a line, with offsets.
func fields(line []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := 0; i < len(line); i++ {
			if isBlank(line[i]) {
				continue
			}
			start := i
			for i < len(line) && !isBlank(line[i]) {
				i++
			}
			if !yield(start, line[start:i]) {
				return
			}
		}
	}
}

// sequence turns a Next method into an iterator: it ends at io.EOF and after an error
// that is not about one item.
func sequence[T any](next func() (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			item, err := next()
			if err == io.EOF || !yield(item, err) {
				return
			}
			if err != nil && !isSyntax(err) {
				return
			}
		}
	}
}
