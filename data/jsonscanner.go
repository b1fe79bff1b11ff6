package data

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// A jsonScanner reads the tokens of documents. It consumes its input as it goes, so
// that the window never holds more than a buffer.
type jsonScanner struct {
	window   window
	lines    bool // a line end ends the document
	maxBytes int64

	start       Position // of the document
	startOffset int64
	text        []byte // the words of the document, one after the other
}

func newJSONScanner(r io.Reader, o JSONOptions) jsonScanner {
	return jsonScanner{window: window{r: r, line: 1}, lines: o.Lines, maxBytes: int64(o.MaxBytes)}
}

func isJSONBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// isJSONBlankInLine leaves line ends out.
func isJSONBlankInLine(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// begin moves on to the next document.
func (s *jsonScanner) begin() error {
	w := &s.window
	if err := w.discard(isJSONBlank); err != nil {
		return err
	}
	if w.at == len(w.buf) {
		return io.EOF
	}
	s.start, s.startOffset, s.text = w.position(), w.offset(w.at), s.text[:0]
	return nil
}

// end checks that nothing follows a document where its line must end.
func (s *jsonScanner) end() error {
	if !s.lines {
		return nil
	}
	w := &s.window
	if err := w.discard(isJSONBlankInLine); err != nil {
		return err
	}
	if w.at < len(w.buf) && w.buf[w.at] != '\n' {
		return s.unexpected("the end of the line after the document")
	}
	return nil
}

// resume moves on to where reading goes on after an error.
func (s *jsonScanner) resume() error {
	w := &s.window
	toLineEnd := func(c byte) bool { return c != '\n' }
	if s.lines {
		return w.discard(toLineEnd)
	}
	startsLine := w.offset(w.at) == w.lineStart
	return w.discard(func(c byte) bool {
		if startsLine && (c == '{' || c == '[') {
			return false
		}
		startsLine = c == '\n'
		return true
	})
}

// peek returns the first byte of the next token of a document, which has not ended.
func (s *jsonScanner) peek(want string) (byte, error) {
	w := &s.window
	unwanted := isJSONBlank
	if s.lines {
		unwanted = isJSONBlankInLine
	}
	if w.at == len(w.buf) || isJSONBlank(w.buf[w.at]) {
		if err := w.discard(unwanted); err != nil {
			return 0, err
		}
	}
	if w.at == len(w.buf) || s.lines && w.buf[w.at] == '\n' {
		return 0, s.unexpected(want)
	}
	return w.buf[w.at], nil
}

// checkLength is called behind every token; a token by itself is at most a buffer too long.
func (s *jsonScanner) checkLength() error {
	if s.window.offset(s.window.at)-s.startOffset > s.maxBytes {
		return syntaxError(s.start, ErrLimit, "expected a document of at most %d bytes, found a longer one", s.maxBytes)
	}
	return nil
}

// unexpected says what is here instead of what was wanted.
func (s *jsonScanner) unexpected(want string) *SyntaxError {
	w := &s.window
	place := w.position()
	if w.at == len(w.buf) {
		return syntaxError(place, nil, "expected %s, found the end of the input (the document begins at %v)", want, s.start)
	}
	switch c := w.buf[w.at]; {
	case c == '\n':
		return syntaxError(place, nil, "expected %s, found the end of the line", want)
	case c < ' ' || c >= utf8.RuneSelf:
		return syntaxError(place, nil, "expected %s, found byte 0x%02X", want, c)
	case !isJSONLiteral(c):
		return syntaxError(place, nil, "expected %s, found '%c'", want, c)
	}
	return syntaxError(place, nil, "expected %s, found %s", want, quote(s.word()))
}

// word returns what the buffer holds of the literal that begins here.
func (s *jsonScanner) word() []byte {
	rest := s.window.buf[s.window.at:]
	n := 0
	for n < len(rest) && isJSONLiteral(rest[n]) {
		n++
	}
	return rest[:n]
}

// isJSONLiteral reports whether c may be part of a number or a name. Numbers and names
// end at anything else, so that "12true" is one bad token and not two good ones.
func isJSONLiteral(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.' || c == '_'
}

// literal reads a number, true, false or null.
func (s *jsonScanner) literal(want string) (jsonKind, span, error) {
	w := &s.window
	place, lo := w.position(), int32(len(s.text))
	if !isJSONLiteral(w.buf[w.at]) {
		return 0, span{}, s.unexpected(want)
	}
	for {
		part := s.word()
		s.text = append(s.text, part...)
		w.advance(len(part))
		if w.at < len(w.buf) || w.ended() {
			break
		}
		if err := s.checkLength(); err != nil {
			return 0, span{}, err
		}
		if err := w.fill(); err != nil {
			return 0, span{}, err
		}
	}
	word := span{lo, int32(len(s.text))}
	switch text := s.text[lo:]; {
	case isJSONNumber(text):
		return jsonNumber, word, nil
	case string(text) == "true" || string(text) == "false":
		return jsonBool, word, nil
	case string(text) == "null":
		s.text = s.text[:lo]
		return jsonNull, span{}, nil
	default:
		return 0, span{}, syntaxError(place, nil, "expected %s, found %s", want, quote(text))
	}
}

// isJSONNumber reports whether text is [-] int [frac] [exp] of RFC 8259, section 6.
func isJSONNumber(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte{'-'})
	digits := func() bool {
		n := 0
		for n < len(text) && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		text = text[n:]
		return n > 0
	}
	if len(text) > 1 && text[0] == '0' && '0' <= text[1] && text[1] <= '9' || !digits() {
		return false
	}
	if len(text) > 0 && text[0] == '.' {
		text = text[1:]
		if !digits() {
			return false
		}
	}
	if len(text) > 0 && (text[0] == 'e' || text[0] == 'E') {
		text = text[1:]
		if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
			text = text[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(text) == 0
}
