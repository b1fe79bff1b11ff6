package data

import (
	"io"
	"iter"
)

// ListOpsTextReader reads expressions of ListOps as people write them, one per line:
// "[MAX 2 9 [MIN 4 7] 0]", with or without blanks around brackets. Lines in the binary
// form of files, "( ( ( [MAX 2 ) 9 ) ] )", are understood as well, and empty lines are
// passed over.
//
// The trees are those of GenerateListOps: binarised, and every node that has a value is
// labelled with it. A line may hold MaxLineBytes.
type ListOpsTextReader struct {
	lines   lineReader
	parser  bracketParser // of the binary form
	builder listOpsBuilder
	err     error
}

// NewListOpsTextReader returns a reader of r. The name stands for the input in positions
// and may be empty.
func NewListOpsTextReader(r io.Reader, name string) *ListOpsTextReader {
	return &ListOpsTextReader{lines: newLineReader(Source{name, r}), parser: newExpressionParser()}
}

// Next returns the next expression, io.EOF after the last one, or a *SyntaxError, after
// which it goes on with the next line. An error of the input is final.
func (l *ListOpsTextReader) Next() (*Tree, error) {
	for l.err == nil {
		line, err := l.lines.next()
		if err != nil {
			if !isSyntax(err) {
				l.err = err
			}
			return nil, err
		}
		for start := range line {
			if !isBlank(line[start]) {
				return l.parse(line, start)
			}
		}
	}
	return nil, l.err
}

// All iterates over the rest of the stream, like PTBReader.All.
func (l *ListOpsTextReader) All() iter.Seq2[*Tree, error] { return sequence(l.Next) }

// parse reads the expression that begins at an offset of the line.
func (l *ListOpsTextReader) parse(line []byte, start int) (*Tree, error) {
	if line[start] == '(' {
		return l.parser.listOps(&l.lines, start, line[start:])
	}
	if err := l.lines.checkUTF8(line); err != nil {
		return nil, err
	}
	t, f := l.builder.tree(line)
	if f != nil {
		return nil, l.lines.errorf(f.offset, f.sentinel, f.format, f.args...)
	}
	t.Pos = l.lines.at(start)
	return t, nil
}

// listOpsBuilder binarises expressions: an operator takes its arguments one by one from
// the left, then "]".
type listOpsBuilder struct {
	nodes   Builder
	offsets []int // where the nodes are in the line
	depth   int   // lists that are open
}

// tree returns the tree of a line. The offset of a fault is one in the line.
func (b *listOpsBuilder) tree(line []byte) (*Tree, *fault) {
	*b = listOpsBuilder{offsets: b.offsets[:0]}
	complete := false
	for at, token := range listTokens(line) {
		if complete {
			return nil, &fault{at, nil, "expected the end of the line after the expression, found %s", []any{quote(token)}}
		}
		if f := b.add(at, string(token)); f != nil {
			return nil, f
		}
		complete = b.depth == 0
	}
	if b.depth > 0 {
		return nil, &fault{len(line), nil, "expected %d more ']', found the end of the line", []any{b.depth}}
	}
	t, err := b.nodes.Tree()
	if err != nil {
		return nil, &fault{0, nil, "expected an expression: %v", []any{err}}
	}
	if f := labelListOps(t); f != nil {
		f.offset = b.offsets[f.offset]
		return nil, f
	}
	return t, nil
}

// add appends a token, and the nodes that it completes.
func (b *listOpsBuilder) add(at int, token string) *fault {
	b.node(at, Node{Label: NoLabel, Word: token})
	join := Node{Label: NoLabel, Arity: 2}
	switch {
	case token[0] == '[':
		b.depth++
		return nil
	case token == listOpsEnd && b.depth == 0:
		return &fault{at, nil, "expected an operator or a digit, found ']'", nil}
	case token == listOpsEnd:
		b.node(at, join)
		b.depth--
	}
	if b.depth > 0 { // it is an argument of the list around it
		b.node(at, join)
	}
	return nil
}

func (b *listOpsBuilder) node(at int, n Node) {
	b.nodes.Add(n)
	b.offsets = append(b.offsets, at)
}

// listTokens iterates over operators, such as "[MAX", closing brackets, and what stands
// between them and blanks, with offsets.
func listTokens(line []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := 0; i < len(line); {
			start := i
			i++
			switch {
			case isBlank(line[start]):
				continue
			case line[start] != ']':
				for i < len(line) && !isBlank(line[i]) && line[i] != '[' && line[i] != ']' {
					i++
				}
			}
			if !yield(start, line[start:i]) {
				return
			}
		}
	}
}
