package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
)

// ListOpsReader reads expressions, one per line: the value, a tab, the binarised
// expression, as in "9\t( ( ( [MAX 2 ) 9 ) ] )".
//
// Every expression is evaluated: Label is set as by GenerateListOps, and a line whose
// value is wrong is malformed. A line may hold MaxLineBytes.
type ListOpsReader struct {
	lines  lineReader
	parser bracketParser
	err    error
}

// NewListOpsReader returns a reader of r. The name stands for the input in positions
// and may be empty.
func NewListOpsReader(r io.Reader, name string) *ListOpsReader {
	return &ListOpsReader{lines: newLineReader(Source{name, r}), parser: newExpressionParser()}
}

// Next returns the next expression, io.EOF after the last one, or a *SyntaxError, after
// which it goes on with the next line. An error of the input is final.
func (l *ListOpsReader) Next() (*Tree, error) {
	if l.err != nil {
		return nil, l.err
	}
	line, err := l.lines.next()
	if err != nil {
		if !isSyntax(err) {
			l.err = err
		}
		return nil, err
	}
	return l.parse(line)
}

// All iterates over the rest of the stream, like PTBReader.All.
func (l *ListOpsReader) All() iter.Seq2[*Tree, error] { return sequence(l.Next) }

func (l *ListOpsReader) parse(line []byte) (*Tree, error) {
	value, expression, ok := bytes.Cut(line, []byte{'\t'})
	if !ok {
		return nil, l.lines.errorf(0, nil, "expected a value, a tab and an expression, found %s", quote(line))
	}
	want, ok := parseClass(value)
	if !ok || want >= ListOpsClasses {
		return nil, l.lines.errorf(0, nil, "expected a value 0..%d, found %s", ListOpsClasses-1, quote(value))
	}
	start := len(value) + 1
	tree, err := l.parser.listOps(&l.lines, start, expression)
	if err != nil {
		return nil, err
	}
	if got := tree.Label[tree.Root()]; got != want {
		return nil, l.lines.errorf(0, nil, "expected %d, the value of the expression, found %d", got, want)
	}
	return tree, nil
}

// listOps parses and evaluates a binarised expression that begins at an offset of the
// current line.
func (p *bracketParser) listOps(lines *lineReader, start int, text []byte) (*Tree, error) {
	tree, err := p.expression(lines, start, text)
	if err != nil {
		return nil, err
	}
	if f := labelListOps(tree); f != nil {
		return nil, lines.errorf(start+int(p.nodes[f.offset].offset), f.sentinel, f.format, f.args...)
	}
	return tree, nil
}

// ReadListOpsFile reads all expressions of a file. Errors are as those of ReadPTBFile.
func ReadListOpsFile(path string) ([]*Tree, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	trees, report, err := Collect(NewListOpsReader(file, path).All())
	return trees, report.strict(path, err)
}

// WriteListOps writes expressions in the format that ListOpsReader reads. The value is
// the label of the root.
func WriteListOps(w io.Writer, trees []*Tree) error {
	out := bufio.NewWriter(w)
	var line []byte
	for i, t := range trees {
		if t.Len() == 0 || t.Label[t.Root()] == NoLabel {
			return fmt.Errorf("%w: expression %d has no value", ErrTree, i)
		}
		line = strconv.AppendInt(line[:0], int64(t.Label[t.Root()]), 10)
		line = append(line, '\t')
		line = t.AppendUnlabelled(line)
		if _, err := out.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("data: writing expressions: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("data: writing expressions: %w", err)
	}
	return nil
}
