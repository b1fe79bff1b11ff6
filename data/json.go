package data

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

// Tags of the nodes of a JSON document. The children of an object are its keys, in the
// order of the text, each with its value as the only child; those of an array are its
// elements. The other kinds are leaves.
const (
	JSONObject = "object"
	JSONArray  = "array"
	JSONKey    = "key"    // the Word is the key, with escapes undone
	JSONString = "string" // the Word is the text, with escapes undone
	JSONNumber = "number" // the Word is the number as it is written
	JSONBool   = "bool"   // the Word is "true" or "false"
	JSONNull   = "null"
)

// JSONOptions says which documents a JSONReader accepts. The zero value accepts any
// JSON, one document behind the other.
type JSONOptions struct {
	// Lines reads JSON Lines: a line holds one document or nothing.
	Lines bool
	// MaxDepth limits nested objects and arrays; 0 means DefaultMaxDepth.
	MaxDepth int
	// MaxBytes limits the text of one document; 0 means DefaultMaxTreeBytes. A reader
	// takes up to 60 bytes of memory per byte of the longest document, however long
	// the input is; text like "[0,0,0" is the worst.
	MaxBytes int
}

func (o JSONOptions) resolve() (JSONOptions, error) {
	if o.MaxDepth == 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxTreeBytes
	}
	switch {
	case o.MaxDepth < 0 || o.MaxDepth > math.MaxInt32:
		return o, fmt.Errorf("%w: got MaxDepth %d, want 1..%d, or 0 for the default", ErrOption, o.MaxDepth, math.MaxInt32)
	case o.MaxBytes < 0 || o.MaxBytes > maxMaxTreeBytes:
		return o, fmt.Errorf("%w: got MaxBytes %d, want 1..%d, or 0 for the default", ErrOption, o.MaxBytes, maxMaxTreeBytes)
	}
	return o, nil
}

// JSONReader reads JSON documents (RFC 8259) as trees from a stream.
//
// Every node has one of the tags above and no numeric label. Members keep their order,
// and keys that occur twice in an object stay twice: a document has one tree. Text must
// be UTF-8; an escaped half of a surrogate pair becomes U+FFFD, as in encoding/json. A
// byte order mark is accepted, and so are CRLF line ends.
//
// After an error the reader is ready for the next document. With JSONOptions.Lines that
// is the one on the next line; otherwise reading resumes at the first line, from the
// place of the error on, that starts with a bracket.
type JSONReader struct {
	name   string
	parser jsonParser
	err    error // ends the stream
}

// NewJSONReader returns a reader of r. The name stands for the input in positions and
// may be empty. Wrong options are reported by the first Next.
func NewJSONReader(r io.Reader, name string, o JSONOptions) *JSONReader {
	o, err := o.resolve()
	return &JSONReader{name: name, parser: newJSONParser(r, o), err: err}
}

// Next returns the next document, io.EOF after the last one, or a *SyntaxError, after
// which it may be called again. Any other error, from the input or about the options,
// is final.
func (j *JSONReader) Next() (*Tree, error) {
	if j.err != nil {
		return nil, j.err
	}
	t, err := j.parser.document()
	if err == nil {
		t.Pos.File = j.name
		return t, nil
	}
	syntax := (*SyntaxError)(nil)
	if !errors.As(err, &syntax) {
		j.fail(err)
		return nil, j.err
	}
	syntax.File = j.name
	if err := j.parser.resume(); err != nil {
		j.fail(err) // told by the next call
	}
	return nil, syntax
}

func (j *JSONReader) fail(err error) {
	if j.err = err; err != io.EOF {
		j.err = inputError(j.name, err)
	}
}

// All iterates over the rest of the stream, like PTBReader.All.
func (j *JSONReader) All() iter.Seq2[*Tree, error] { return sequence(j.Next) }
