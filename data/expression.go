package data

// newExpressionParser returns a parser of binary trees without labels, each of which stands
// in one line or a part of one.
func newExpressionParser() bracketParser {
	// A line is shorter than any depth that could matter.
	return newBracketParser(PTBOptions{Unlabelled: true, Binary: true, MaxDepth: MaxLineBytes})
}

// expression parses the text that begins at an offset of the current line.
func (p *bracketParser) expression(lines *lineReader, start int, text []byte) (*Tree, error) {
	f := encodingFault(text) // before the parser looks, which would tell of its options
	if f == nil {
		f = checkExpression(text)
	}
	if f != nil {
		return nil, lines.errorf(start+f.offset, f.sentinel, f.format, f.args...)
	}
	return p.parse(text, lines.at(start))
}

// checkExpression makes sure that a line holds exactly one expression with balanced
// brackets, which is what a bracketParser asks for.
func checkExpression(text []byte) *fault {
	depth, complete := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case isBlank(c):
			continue
		case complete:
			return &fault{i, nil, "expected the end of the field after the expression, found %s", []any{quote(text[i:])}}
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				return &fault{i, nil, "expected a token or '(', found ')'", nil}
			}
			depth--
		default:
			i = tokenEnd(text, i) - 1
		}
		complete = depth == 0
	}
	switch {
	case depth > 0:
		return &fault{len(text), nil, "expected %d more ')', found the end of the field", []any{depth}}
	case !complete:
		return &fault{len(text), nil, "expected an expression, found the end of the field", nil}
	}
	return nil
}
