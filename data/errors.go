package data

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

var (
	// ErrSyntax is wrapped by every error about malformed input.
	ErrSyntax = errors.New("data: malformed input")
	// ErrLimit is wrapped, together with ErrSyntax, when input exceeds a limit of its reader.
	ErrLimit = fmt.Errorf("%w: limit exceeded", ErrSyntax)
	// ErrEmpty is wrapped when a file holds nothing that could be read.
	ErrEmpty = errors.New("data: no data")
	// ErrOption is wrapped when options contradict themselves or are out of range.
	ErrOption = errors.New("data: bad option")
	// ErrTree is wrapped when arrays or building steps do not describe a tree.
	ErrTree = errors.New("data: not a tree")
)

// Position is a place in a text. Lines and columns count from 1, columns in bytes;
// a byte order mark at the start of a file has no column. The zero Position means
// that the place is not known.
type Position struct {
	File         string
	Line, Column int
}

// String returns "file:line:column", or "line:column" for a text without a name.
func (p Position) String() string {
	s := strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	if p.File != "" {
		s = p.File + ":" + s
	}
	return s
}

// SyntaxError says where an input is malformed, what was expected and what was found.
type SyntaxError struct {
	File         string
	Line, Column int // from 1, the column in bytes
	Msg          string
	Err          error // a more special sentinel than ErrSyntax, or nil
}

// Error returns "file:line:column: message".
func (e *SyntaxError) Error() string { return e.Position().String() + ": " + e.Msg }

// Unwrap returns Err, or ErrSyntax where there is none.
func (e *SyntaxError) Unwrap() error {
	if e.Err != nil {
		return e.Err
	}
	return ErrSyntax
}

// Position returns the place of the error.
func (e *SyntaxError) Position() Position { return Position{e.File, e.Line, e.Column} }

func syntaxError(p Position, sentinel error, format string, args ...any) *SyntaxError {
	return &SyntaxError{File: p.File, Line: p.Line, Column: p.Column, Err: sentinel, Msg: fmt.Sprintf(format, args...)}
}

// quote renders input for an error message. Input may be long or binary, a message
// should be neither.
func quote[T ~string | ~[]byte](b T) string {
	const limit = 40
	s := string(b[:min(len(b), limit+utf8.UTFMax)])
	if len(s) <= limit {
		return strconv.Quote(s)
	}
	cut := limit
	for cut > limit-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "..."
}

// isSyntax reports whether err is about malformed input, after which a reader goes on.
func isSyntax(err error) bool { return errors.Is(err, ErrSyntax) }
