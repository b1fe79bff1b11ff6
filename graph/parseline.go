package graph

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// lineReader cuts a text into lines.
type lineReader struct {
	rest string
	line int // of the last line read, from 1
}

// next returns the next line that is not blank, behind the blanks at its start.
func (r *lineReader) next() (*lineScanner, bool) {
	for r.rest != "" {
		s := &lineScanner{line: r.line + 1}
		s.text, r.rest, _ = strings.Cut(r.rest, "\n")
		r.line++
		if s.space(); !s.atEnd() {
			return s, true
		}
	}
	return nil, false
}

// lineScanner reads the words of one line.
type lineScanner struct {
	text string
	line int // from 1
	pos  int
}

func (s *lineScanner) space() {
	for s.pos < len(s.text) && strings.IndexByte(" \t\r", s.text[s.pos]) >= 0 {
		s.pos++
	}
}

func (s *lineScanner) atEnd() bool { return s.pos == len(s.text) }

// at reports err at byte pos of the line.
func (s *lineScanner) at(pos int, err error) error {
	return &ParseError{Line: s.line, Column: pos + 1, Err: err}
}

// errorf reports a syntax error at the current position.
func (s *lineScanner) errorf(format string, args ...any) error {
	return s.at(s.pos, fmt.Errorf("%w: "+format, append([]any{ErrSyntax}, args...)...))
}

// unexpected reports what was wanted and what is there.
func (s *lineScanner) unexpected(want string) error {
	if s.atEnd() {
		return s.errorf("want %s, found the end of the line", want)
	}
	found := s.word()
	if found == "" {
		_, n := utf8.DecodeRuneInString(s.text[s.pos:])
		found = s.text[s.pos : s.pos+n]
	}
	return s.errorf("want %s, found %.40q", want, found)
}

// accept skips lit and the blanks after it, if lit is next.
func (s *lineScanner) accept(lit string) bool {
	if !strings.HasPrefix(s.text[s.pos:], lit) {
		return false
	}
	s.pos += len(lit)
	s.space()
	return true
}

func (s *lineScanner) expect(lit string) error {
	if !s.accept(lit) {
		return s.unexpected(lit)
	}
	return nil
}

func (s *lineScanner) end() error {
	if !s.atEnd() {
		return s.unexpected("the end of the line")
	}
	return nil
}

// isPlain reports whether c may stand in a name without quotes.
func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_./-", c) >= 0
}

// word returns the plain name that is next, "" when there is none.
func (s *lineScanner) word() string {
	end := s.pos
	for end < len(s.text) && isPlain(s.text[end]) {
		end++
	}
	return s.text[s.pos:end]
}

// acceptWord skips a plain name, if w is next and is all of it.
func (s *lineScanner) acceptWord(w string) bool { return s.word() == w && s.accept(w) }

// name reads a plain or quoted name and the blanks after it.
func (s *lineScanner) name() (string, error) {
	if strings.HasPrefix(s.text[s.pos:], `"`) {
		return s.quoted()
	}
	w := s.word()
	if w == "" {
		return "", s.unexpected("a name")
	}
	s.accept(w)
	return w, nil
}

func (s *lineScanner) quoted() (string, error) {
	q, err := strconv.QuotedPrefix(s.text[s.pos:])
	if err != nil || q[0] != '"' {
		return "", s.unexpected("a quoted string")
	}
	name, err := strconv.Unquote(q)
	if err != nil {
		return "", s.unexpected("a quoted string")
	}
	s.accept(q)
	return name, nil
}

// integer reads a decimal number without a sign.
func (s *lineScanner) integer() (int, error) {
	end := s.pos
	for end < len(s.text) && s.text[end] >= '0' && s.text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s.text[s.pos:end])
	if err != nil {
		return 0, s.unexpected("a number")
	}
	s.accept(s.text[s.pos:end])
	return n, nil
}

// typ reads a type.
func (s *lineScanner) typ() (Type, error) {
	start := s.pos
	t, err := ParseType(s.typeText())
	if err != nil {
		return t, s.at(start, fmt.Errorf("%w: %w", ErrSyntax, err))
	}
	s.accept(s.typeText())
	return t, nil
}

// typeText returns the text of the type that is next, as far as it looks like one.
func (s *lineScanner) typeText() string {
	end := s.pos + len(s.word())
	if end < len(s.text) && s.text[end] == '[' {
		if i := strings.IndexByte(s.text[end:], ']'); i >= 0 {
			end += i + 1
		}
	}
	return s.text[s.pos:end]
}
