package data

import (
	"bytes"
	"io"
	"slices"
)

const (
	windowSize    = 64 << 10 // to begin with
	maxEmptyReads = 100
	byteOrderMark = "\xEF\xBB\xBF"
)

// window is the part of an input that a framer works on. What lies before at has been
// dealt with and may be forgotten.
type window struct {
	r       io.Reader
	buf     []byte
	at      int   // the place in buf
	scan    int   // to where brackets have been matched, if it is behind at
	base    int64 // offset in the input of buf[0]
	readErr error // what the input said last

	line      int
	lineStart int64 // offset in the input
}

// offset translates an index of buf to an offset in the input.
func (w *window) offset(i int) int64 { return w.base + int64(i) }

// position returns the place without the name of the file.
func (w *window) position() Position {
	return Position{Line: w.line, Column: int(w.offset(w.at)-w.lineStart) + 1}
}

// advance moves on by n bytes of the buffer.
func (w *window) advance(n int) {
	passed := w.buf[w.at : w.at+n]
	if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
		w.line += bytes.Count(passed, []byte{'\n'})
		w.lineStart = w.offset(w.at + last + 1)
	}
	w.at += n
}

// discard moves on to the first byte that is not unwanted, or to the end of the input.
func (w *window) discard(unwanted func(byte) bool) error {
	for {
		n := 0
		rest := w.buf[w.at:]
		for n < len(rest) && unwanted(rest[n]) {
			n++
		}
		w.advance(n)
		if n < len(rest) || w.ended() {
			return nil
		}
		if err := w.fill(); err != nil {
			return err
		}
	}
}

// fill reads more input.
func (w *window) fill() error {
	if w.readErr != nil {
		return w.readErr
	}
	start := w.buf == nil
	if len(w.buf) == cap(w.buf) {
		w.makeRoom()
	}
	for range maxEmptyReads {
		n, err := w.r.Read(w.buf[len(w.buf):cap(w.buf)])
		w.buf = w.buf[:len(w.buf)+n]
		w.readErr = err
		switch {
		case start && err == nil && len(w.buf) < len(byteOrderMark):
			continue // it takes so many to see whether there is a mark
		case start && bytes.HasPrefix(w.buf, []byte(byteOrderMark)):
			w.at, w.lineStart = len(byteOrderMark), int64(len(byteOrderMark))
			return nil
		case n > 0 || err == io.EOF:
			return nil // an error that came with bytes waits until they are used
		case err != nil:
			return err
		}
	}
	return io.ErrNoProgress
}

// makeRoom forgets what has been dealt with, or grows the buffer if that is too little.
func (w *window) makeRoom() {
	if w.at < cap(w.buf)/2 || w.buf == nil {
		w.buf = slices.Grow(w.buf, max(windowSize, cap(w.buf)))
		return
	}
	w.buf = w.buf[:copy(w.buf, w.buf[w.at:])]
	w.base += int64(w.at)
	w.scan = max(w.scan-w.at, 0)
	w.at = 0
}

// ended reports whether all of the input is in the window, or was.
func (w *window) ended() bool { return w.readErr == io.EOF }
