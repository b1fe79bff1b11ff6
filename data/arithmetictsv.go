package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
)

// ArithmeticReader reads arithmetic expressions, one per line: the answer to the task, a
// tab, the expression, as in "-10\t( - ( ( - ( -7 7 ) ) -4 ) )".
//
//	expression = number | ( operator ( expression expression ) )
//
// Every expression is evaluated: Label is the class of each node that has a value, and has
// a class for it; operators and pairs of operands have NoLabel. A line with a wrong answer
// is malformed. A line may hold MaxLineBytes.
type ArithmeticReader struct {
	lines  lineReader
	parser bracketParser
	task   ArithmeticTask
	err    error
}

// NewArithmeticReader returns a reader of r. The name stands for the input in positions
// and may be empty. A wrong task is reported by the first Next.
func NewArithmeticReader(r io.Reader, name string, task ArithmeticTask) *ArithmeticReader {
	a := &ArithmeticReader{lines: newLineReader(Source{name, r}), parser: newExpressionParser(), task: task}
	if task >= numArithmeticTasks {
		a.err = fmt.Errorf("%w: got task %d, want ArithmeticValue or ArithmeticSign", ErrOption, task)
	}
	return a
}

// Next returns the next expression, io.EOF after the last one, or a *SyntaxError, after
// which it goes on with the next line. An error of the input is final.
func (a *ArithmeticReader) Next() (*Tree, error) {
	if a.err != nil {
		return nil, a.err
	}
	line, err := a.lines.next()
	if err != nil {
		if !isSyntax(err) {
			a.err = err
		}
		return nil, err
	}
	return a.parse(line)
}

// All iterates over the rest of the stream, like PTBReader.All.
func (a *ArithmeticReader) All() iter.Seq2[*Tree, error] { return sequence(a.Next) }

func (a *ArithmeticReader) parse(line []byte) (*Tree, error) {
	answer, expression, ok := bytes.Cut(line, []byte{'\t'})
	if !ok {
		return nil, a.lines.errorf(0, nil, "expected a %s, a tab and an expression, found %s", a.task, quote(line))
	}
	last := int32(a.task.Classes() - 1)
	want, ok := a.task.parseClass(answer)
	if !ok {
		return nil, a.lines.errorf(0, nil, "expected a %s %s..%s, found %s", a.task, a.task.text(0), a.task.text(last), quote(answer))
	}
	start := len(answer) + 1
	tree, err := a.parser.expression(&a.lines, start, expression)
	if err != nil {
		return nil, err
	}
	if f := labelArithmetic(tree, a.task); f != nil {
		return nil, a.lines.errorf(start+int(a.parser.nodes[f.offset].offset), f.sentinel, f.format, f.args...)
	}
	if got := tree.Label[tree.Root()]; got != want {
		return nil, a.lines.errorf(0, nil, "expected %s, the %s of the expression, found %s", a.task.text(got), a.task, a.task.text(want))
	}
	return tree, nil
}

// ReadArithmeticFile reads all expressions of a file. Errors are as those of ReadPTBFile.
func ReadArithmeticFile(path string, task ArithmeticTask) ([]*Tree, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	trees, report, err := Collect(NewArithmeticReader(file, path, task).All())
	return trees, report.strict(path, err)
}

// WriteArithmetic writes expressions in the format that ArithmeticReader reads. The answer
// is the label of the root.
func WriteArithmetic(w io.Writer, trees []*Tree, task ArithmeticTask) error {
	if task >= numArithmeticTasks {
		return fmt.Errorf("%w: got task %d, want ArithmeticValue or ArithmeticSign", ErrOption, task)
	}
	out := bufio.NewWriter(w)
	var line []byte
	for i, t := range trees {
		if t.Len() == 0 || t.Label[t.Root()] < 0 || int(t.Label[t.Root()]) >= task.Classes() {
			return fmt.Errorf("%w: expression %d has no %s", ErrTree, i, task)
		}
		line = append(append(line[:0], task.text(t.Label[t.Root()])...), '\t')
		line = append(t.AppendUnlabelled(line), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("data: writing expressions: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("data: writing expressions: %w", err)
	}
	return nil
}
