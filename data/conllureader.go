package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// MaxSentenceBytes limits the lines of a sentence in CoNLL-U together.
const MaxSentenceBytes = MaxLineBytes

// CoNLLUReader reads sentences in CoNLL-U from a stream: comments, then a line of ten
// columns, divided by tabs, per word, multiword token or empty node, then an empty line.
//
// What the format promises is checked: ten columns, none of them empty, and blanks in no
// others than FORM, LEMMA and MISC; words numbered from 1, multiword tokens before their
// first word and without overlap, empty nodes numbered behind their word; heads of words
// of the sentence. Whether heads make a tree shows when UDSentence.Tree makes it.
type CoNLLUReader struct {
	lines lineReader
	first int    // the line in which the sentence at hand begins
	text  []byte // of the sentence, without line ends
	ends  []int  // of its lines, in text
	err   error
}

// NewCoNLLUReader returns a reader of r. The name stands for the input in positions and
// may be empty.
func NewCoNLLUReader(r io.Reader, name string) *CoNLLUReader {
	return &CoNLLUReader{lines: newLineReader(Source{name, r})}
}

// Next returns the next sentence, io.EOF after the last one, or a *SyntaxError, after
// which it goes on behind the next empty line. An error of the input is final.
func (c *CoNLLUReader) Next() (*UDSentence, error) {
	if c.err != nil {
		return nil, c.err
	}
	if err := c.block(); err != nil {
		if !isSyntax(err) {
			c.err = err
		}
		return nil, err
	}
	return parseUDSentence(Position{c.lines.name, c.first, 1}, string(c.text), c.ends)
}

// block reads the lines up to the next empty one or the end of the input. After an error
// about one of them it has read the others, too.
func (c *CoNLLUReader) block() error {
	c.text, c.ends = c.text[:0], c.ends[:0]
	var malformed error
	for {
		line, err := c.lines.next()
		switch {
		case err == io.EOF && (len(c.ends) > 0 || malformed != nil):
			return malformed
		case isSyntax(err):
			malformed = err
			continue
		case err != nil:
			return err
		case len(line) == 0 && (len(c.ends) > 0 || malformed != nil):
			return malformed
		case len(line) == 0 || malformed != nil:
			continue
		}
		if len(c.ends) == 0 {
			c.first = c.lines.line
		}
		if len(c.text)+len(line) > MaxSentenceBytes {
			malformed = c.lines.errorf(0, ErrLimit, "expected at most %d bytes in a sentence, found more", MaxSentenceBytes)
			continue
		}
		if f := encodingFault(line); f != nil {
			malformed = c.lines.errorf(f.offset, f.sentinel, f.format, f.args...)
			continue
		}
		c.text = append(c.text, line...)
		c.ends = append(c.ends, len(c.text))
	}
}

// All iterates over the rest of the stream, like PTBReader.All.
func (c *CoNLLUReader) All() iter.Seq2[*UDSentence, error] { return sequence(c.Next) }

// Trees iterates over the dependency trees of the rest of the stream; see
// UDSentence.Tree.
func (c *CoNLLUReader) Trees() iter.Seq2[*Tree, error] {
	return sequence(func() (*Tree, error) {
		s, err := c.Next()
		if err != nil {
			return nil, err
		}
		return s.Tree()
	})
}

// ReadCoNLLUFile reads all sentences of a file. Errors are as those of ReadPTBFile.
func ReadCoNLLUFile(path string) ([]*UDSentence, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	sentences, report, err := Collect(NewCoNLLUReader(file, path).All())
	return sentences, report.strict(path, err)
}

// WriteCoNLLU writes sentences such that CoNLLUReader reads the same. The error is one of
// w, or wraps ErrSyntax or ErrWord when the format does not allow a sentence.
func WriteCoNLLU(w io.Writer, sentences []*UDSentence) error {
	out := bufio.NewWriter(w)
	var text []byte
	for i, s := range sentences {
		text = s.Append(text[:0])
		again, err := NewCoNLLUReader(bytes.NewReader(text), "").Next()
		if err != nil {
			return fmt.Errorf("data: sentence %d: %w", i, err)
		}
		if !slices.Equal(again.Comments, s.Comments) || !slices.Equal(again.Lines, s.Lines) {
			return fmt.Errorf("%w: a column or comment of sentence %d holds a tab or a line break", ErrWord, i)
		}
		if _, err := out.Write(text); err != nil {
			return fmt.Errorf("data: writing sentences: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("data: writing sentences: %w", err)
	}
	return nil
}
