package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// Labels of SNLIPair: what the first sentence says about the second.
const (
	SNLIEntailment int32 = iota
	SNLINeutral
	SNLIContradiction

	SNLIClasses = 3
)

var snliLabels = map[string]int32{
	"entailment": SNLIEntailment, "neutral": SNLINeutral, "contradiction": SNLIContradiction,
	"-": NoLabel, // the annotators did not agree
}

// SNLIPair is a pair of sentences of the Stanford Natural Language Inference corpus
// (Bowman et al. 2015) or of one in the same form, such as MultiNLI.
type SNLIPair struct {
	A, B  *Tree // the binary parses, without labels
	Label int32 // NoLabel where the annotators did not agree
}

// SNLIReader reads such pairs, a JSON object per line with the keys gold_label,
// sentence1_binary_parse and sentence2_binary_parse; others are ignored. A line may hold
// MaxLineBytes. Mistakes inside of a parse have the column of the line's first byte, since
// a parse is a string of JSON in which a character may take several bytes.
type SNLIReader struct {
	lines  lineReader
	parser bracketParser
	err    error
}

// NewSNLIReader returns a reader of r. The name stands for the input in positions and may
// be empty.
func NewSNLIReader(r io.Reader, name string) *SNLIReader {
	return &SNLIReader{lines: newLineReader(Source{name, r}), parser: newExpressionParser()}
}

// Next returns the next pair, io.EOF after the last one, or a *SyntaxError, after which it
// goes on with the next line. An error of the input is final.
func (s *SNLIReader) Next() (SNLIPair, error) {
	if s.err != nil {
		return SNLIPair{}, s.err
	}
	line, err := s.lines.next()
	if err != nil {
		if !isSyntax(err) {
			s.err = err
		}
		return SNLIPair{}, err
	}
	return s.parse(line)
}

// All iterates over the rest of the stream, like PTBReader.All.
func (s *SNLIReader) All() iter.Seq2[SNLIPair, error] { return sequence(s.Next) }

func (s *SNLIReader) parse(line []byte) (SNLIPair, error) {
	var object struct {
		Label *string `json:"gold_label"`
		A     *string `json:"sentence1_binary_parse"`
		B     *string `json:"sentence2_binary_parse"`
	}
	if err := s.lines.checkUTF8(line); err != nil {
		return SNLIPair{}, err
	}
	if err := json.Unmarshal(line, &object); err != nil {
		return SNLIPair{}, s.lines.errorf(jsonOffset(err), nil, "expected a JSON object with two sentences: %v", err)
	}
	if object.Label == nil {
		return SNLIPair{}, s.lines.errorf(0, nil, "expected the key gold_label, found none")
	}
	label, ok := snliLabels[*object.Label]
	if !ok {
		return SNLIPair{}, s.lines.errorf(0, nil, "expected entailment, neutral, contradiction or '-' as gold_label, found %s", quote(*object.Label))
	}
	a, err := s.tree("sentence1_binary_parse", object.A)
	if err != nil {
		return SNLIPair{}, err
	}
	b, err := s.tree("sentence2_binary_parse", object.B)
	if err != nil {
		return SNLIPair{}, err
	}
	return SNLIPair{A: a, B: b, Label: label}, nil
}

// jsonOffset returns where in its text a mistake was found.
func jsonOffset(err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return max(0, int(syntax.Offset)-1)
	case errors.As(err, &kind):
		return max(0, int(kind.Offset)-1)
	}
	return 0
}

// tree parses the value of a key.
func (s *SNLIReader) tree(key string, text *string) (*Tree, error) {
	if text == nil {
		return nil, s.lines.errorf(0, nil, "expected the key %s, found none", key)
	}
	tree, err := s.parser.expression(&s.lines, 0, []byte(*text))
	if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
		return nil, s.lines.errorf(0, syntax.Err, "%s, byte %d: %s", key, syntax.Column, syntax.Msg)
	}
	if err != nil {
		return nil, err
	}
	tree.Pos = s.lines.at(0)
	return tree, nil
}

// ReadSNLIFile reads all pairs of a file. Errors are as those of ReadPTBFile.
func ReadSNLIFile(path string) ([]SNLIPair, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	pairs, report, err := Collect(NewSNLIReader(file, path).All())
	return pairs, report.strict(path, err)
}
