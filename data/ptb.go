package data

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
)

// Limits of a PTBReader whose options leave them at zero.
const (
	DefaultMaxDepth     = 1 << 20 // nested brackets
	DefaultMaxTreeBytes = 64 << 20

	// Offsets are int32, and text may double when it is converted from Latin-1.
	maxMaxTreeBytes = 1<<30 - 1
)

// PTBOptions says which bracketed trees a PTBReader accepts. The zero value accepts
// any labels and arities, and keeps tokens as they are written.
type PTBOptions struct {
	// Classes, if positive, requires every label to be one of 0..Classes-1.
	Classes int
	// Binary requires every node to hold either one token or two subtrees.
	Binary bool
	// Unlabelled reads brackets without labels, whose leaves are bare tokens:
	// "( ( a b ) c )", as in the binary parses of SNLI and in ListOps.
	Unlabelled bool
	// HeadWords lets a token stand before the subtrees of a node, which is how
	// Tree.String writes dependency trees.
	HeadWords bool
	// Unescape undoes the escapes of the Penn Treebank in tokens: -LRB- and the
	// other five brackets, \/ and \*. Labels are never changed.
	Unescape bool
	// Latin1 takes the input as ISO-8859-1 instead of UTF-8.
	Latin1 bool
	// MaxDepth limits nested brackets; 0 means DefaultMaxDepth.
	MaxDepth int
	// MaxTreeBytes limits the text of one tree; 0 means DefaultMaxTreeBytes. The
	// memory a reader takes is proportional to it, not to the size of the input.
	MaxTreeBytes int
}

// SSTOptions returns the options of the Stanford Sentiment Treebank: strictly binary
// trees with labels 0..4 at all nodes. Escapes are kept.
func SSTOptions() PTBOptions { return PTBOptions{Classes: 5, Binary: true} }

func (o PTBOptions) resolve() (PTBOptions, error) {
	if o.MaxDepth == 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if o.MaxTreeBytes == 0 {
		o.MaxTreeBytes = DefaultMaxTreeBytes
	}
	switch {
	case o.Classes < 0 || o.Classes > math.MaxInt32:
		return o, fmt.Errorf("%w: got Classes %d, want 0..%d", ErrOption, o.Classes, math.MaxInt32)
	case o.Unlabelled && o.Classes > 0:
		return o, fmt.Errorf("%w: got Classes %d for unlabelled trees, want 0", ErrOption, o.Classes)
	case o.Unlabelled && o.HeadWords:
		return o, fmt.Errorf("%w: got HeadWords for unlabelled trees, whose tokens are leaves", ErrOption)
	case o.MaxDepth < 0:
		return o, fmt.Errorf("%w: got MaxDepth %d, want 1 or more, or 0 for the default", ErrOption, o.MaxDepth)
	case o.MaxTreeBytes < 0 || o.MaxTreeBytes > maxMaxTreeBytes:
		return o, fmt.Errorf("%w: got MaxTreeBytes %d, want 1..%d", ErrOption, o.MaxTreeBytes, maxMaxTreeBytes)
	}
	return o, nil
}

// PTBReader reads trees in Penn Treebank brackets from a stream.
//
//	tree  = "(" [label] token ")" | "(" [label] tree... ")" | "(" label ")"
//
// A label follows its bracket at once; a blank after the bracket means that there is
// none. Trees may span lines, and a line may hold several. Only the ASCII blanks
// separate tokens: U+00A0 and its like are part of one, as in the Stanford treebank.
// A byte order mark and CRLF line ends are accepted.
//
// After an error the reader is ready for the next tree. A tree that breaks a rule is
// dropped up to its closing bracket. A bracket that is never closed is dropped alone,
// and reading resumes at the first line behind it that starts with "(". A tree that is
// longer than MaxTreeBytes is dropped up to such a line or up to its closing bracket,
// whichever comes first. Text outside of trees is dropped to the end of its line.
type PTBReader struct {
	name   string
	frames framer
	parser bracketParser
	err    error // ends the stream
}

// NewPTBReader returns a reader of r. The name stands for the input in positions and
// may be empty. Wrong options are reported by the first Next.
func NewPTBReader(r io.Reader, name string, o PTBOptions) *PTBReader {
	o, err := o.resolve()
	return &PTBReader{name: name, frames: newFramer(r, o.MaxTreeBytes), parser: newBracketParser(o), err: err}
}

// Next returns the next tree, io.EOF after the last one, or a *SyntaxError, after
// which it may be called again. Any other error, from the input or about the
// options, is final.
func (p *PTBReader) Next() (*Tree, error) {
	if p.err != nil {
		return nil, p.err
	}
	f, err := p.frames.next()
	if err == nil {
		at := f.at
		at.File = p.name
		return p.parser.parse(f.text, at)
	}
	if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
		syntax.File = p.name
		return nil, syntax
	}
	if p.err = err; err != io.EOF {
		p.err = inputError(p.name, err)
	}
	return nil, p.err
}

// All iterates over the rest of the stream. A pair holds a tree or an error; after a
// *SyntaxError the iteration goes on, unless the loop is left.
func (p *PTBReader) All() iter.Seq2[*Tree, error] { return sequence(p.Next) }
