package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
)

// LogicReader reads pairs of statements, one per line: the sign of their relation, a tab,
// a statement, a tab, the other statement, as in "<\t( a ( and b ) )\tb". See LogicTable
// for the form of a statement.
//
// Both statements are evaluated: a line with the wrong relation is malformed. A line may
// hold MaxLineBytes.
type LogicReader struct {
	lines  lineReader
	parser bracketParser
	err    error
}

// NewLogicReader returns a reader of r. The name stands for the input in positions and may
// be empty.
func NewLogicReader(r io.Reader, name string) *LogicReader {
	return &LogicReader{lines: newLineReader(Source{name, r}), parser: newExpressionParser()}
}

// Next returns the next pair, io.EOF after the last one, or a *SyntaxError, after which it
// goes on with the next line. An error of the input is final.
func (l *LogicReader) Next() (LogicPair, error) {
	if l.err != nil {
		return LogicPair{}, l.err
	}
	line, err := l.lines.next()
	if err != nil {
		if !isSyntax(err) {
			l.err = err
		}
		return LogicPair{}, err
	}
	return l.parse(line)
}

// All iterates over the rest of the stream, like PTBReader.All.
func (l *LogicReader) All() iter.Seq2[LogicPair, error] { return sequence(l.Next) }

func (l *LogicReader) parse(line []byte) (LogicPair, error) {
	sign, rest, _ := bytes.Cut(line, []byte{'\t'})
	first, second, ok := bytes.Cut(rest, []byte{'\t'})
	if !ok {
		return LogicPair{}, l.lines.errorf(0, nil, "expected a relation and two statements divided by tabs, found %s", quote(line))
	}
	relation, ok := parseRelation(sign)
	if !ok {
		return LogicPair{}, l.lines.errorf(0, nil, "expected a relation, one of %s, found %s", relationSigns, quote(sign))
	}
	start := len(sign) + 1
	a, tableA, err := l.statement(start, first)
	if err != nil {
		return LogicPair{}, err
	}
	b, tableB, err := l.statement(start+len(first)+1, second)
	if err != nil {
		return LogicPair{}, err
	}
	if want := Relate(tableA, tableB); relation != want {
		return LogicPair{}, l.lines.errorf(0, nil, "expected '%s', the relation of the statements, found '%s'", want, relation)
	}
	return LogicPair{A: a, B: b, Relation: relation}, nil
}

// statement parses a part of the current line.
func (l *LogicReader) statement(start int, text []byte) (*Tree, TruthTable, error) {
	tree, err := l.parser.expression(&l.lines, start, text)
	if err != nil {
		return nil, 0, err
	}
	table, f := evaluateLogic(tree)
	if f != nil {
		return nil, 0, l.lines.errorf(start+int(l.parser.nodes[f.offset].offset), f.sentinel, f.format, f.args...)
	}
	return tree, table, nil
}

// ReadLogicFile reads all pairs of a file. Errors are as those of ReadPTBFile.
func ReadLogicFile(path string) ([]LogicPair, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	pairs, report, err := Collect(NewLogicReader(file, path).All())
	return pairs, report.strict(path, err)
}

// WriteLogic writes pairs in the format that LogicReader reads.
func WriteLogic(w io.Writer, pairs []LogicPair) error {
	out := bufio.NewWriter(w)
	var line []byte
	for _, p := range pairs {
		line = append(append(line[:0], p.Relation.String()...), '\t')
		line = append(p.A.AppendUnlabelled(line), '\t')
		line = append(p.B.AppendUnlabelled(line), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("data: writing statements: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("data: writing statements: %w", err)
	}
	return nil
}
