package data

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string with its quotes and returns where its text is.
func (s *jsonScanner) str() (span, error) {
	w := &s.window
	opened, lo := w.position(), int32(len(s.text))
	w.advance(1)
	for {
		n := plainJSON(w.buf[w.at:])
		s.text = append(s.text, w.buf[w.at:w.at+n]...)
		w.advance(n)
		if err := s.need(opened, 1); err != nil {
			return span{}, err
		}
		var err error
		switch c := w.buf[w.at]; {
		case c == '"':
			w.advance(1)
			return span{lo, int32(len(s.text))}, nil
		case c == '\\':
			err = s.escape(opened)
		case c == '\n':
			err = syntaxError(opened, nil, "expected '\"' to close this string, found the end of the line")
		case c < ' ':
			err = syntaxError(w.position(), nil, "expected an escape such as \\u%04x in a string, found byte 0x%02X", c, c)
		case c >= utf8.RuneSelf:
			err = s.rune()
		}
		if err != nil {
			return span{}, err
		}
	}
}

// plainJSON returns how many bytes of a string stand for themselves and are ASCII.
func plainJSON(text []byte) int {
	for i, c := range text {
		if c == '"' || c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

// has reports whether the input goes on for n bytes, and brings them into the window.
func (s *jsonScanner) has(n int) (bool, error) {
	w := &s.window
	for len(w.buf)-w.at < n {
		if w.ended() {
			return false, nil
		}
		if err := s.checkLength(); err != nil {
			return false, err
		}
		if err := w.fill(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// need makes sure that the string opened there goes on for n bytes.
func (s *jsonScanner) need(opened Position, n int) error {
	ok, err := s.has(n)
	if err == nil && !ok {
		err = syntaxError(opened, nil, "expected '\"' to close this string, found the end of the input")
	}
	return err
}

// rune reads a character that is not ASCII.
func (s *jsonScanner) rune() error {
	w := &s.window
	for !utf8.FullRune(w.buf[w.at:]) && !w.ended() {
		if err := w.fill(); err != nil {
			return err
		}
	}
	r, n := utf8.DecodeRune(w.buf[w.at:])
	if r == utf8.RuneError && n <= 1 {
		return syntaxError(w.position(), nil, "expected UTF-8 text, found byte 0x%02X", w.buf[w.at])
	}
	s.text = append(s.text, w.buf[w.at:w.at+n]...)
	w.advance(n)
	return nil
}

var jsonEscapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape reads an escape sequence.
func (s *jsonScanner) escape(opened Position) error {
	w := &s.window
	if err := s.need(opened, 2); err != nil {
		return err
	}
	c := w.buf[w.at+1]
	if c == 'u' {
		return s.unicodeEscape(opened)
	}
	if jsonEscapes[c] == 0 {
		return syntaxError(w.position(), nil, "expected an escape of JSON, found %s", quote(w.buf[w.at:w.at+2]))
	}
	s.text = append(s.text, jsonEscapes[c])
	w.advance(2)
	return nil
}

const unicodeEscapeLen = len(`\u0000`)

// unicodeEscape reads \u and four digits, and again for the other half of a surrogate
// pair. A half without its other half becomes U+FFFD.
func (s *jsonScanner) unicodeEscape(opened Position) error {
	w := &s.window
	if err := s.need(opened, unicodeEscapeLen); err != nil {
		return err
	}
	r, ok := hexEscape(w.buf[w.at:])
	if !ok {
		return syntaxError(w.position(), nil, "expected \\u and four hexadecimal digits, found %s",
			quote(w.buf[w.at:w.at+unicodeEscapeLen]))
	}
	w.advance(unicodeEscapeLen)
	if utf16.IsSurrogate(r) {
		if _, err := s.has(unicodeEscapeLen); err != nil {
			return err
		}
		low, _ := hexEscape(w.buf[w.at:])
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			w.advance(unicodeEscapeLen)
		}
	}
	s.text = utf8.AppendRune(s.text, r)
	return nil
}

// hexEscape returns the number of the \uXXXX that text begins with.
func hexEscape(text []byte) (rune, bool) {
	if len(text) < unicodeEscapeLen || !bytes.HasPrefix(text, []byte(`\u`)) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:unicodeEscapeLen]), 16, 16)
	return rune(n), err == nil
}
