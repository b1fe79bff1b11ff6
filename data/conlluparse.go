package data

import "strings"

// The columns of CoNLL-U.
const (
	udID = iota
	udForm
	udLemma
	udUPOS
	udXPOS
	udFeats
	udHead
	udDepRel
	udDeps
	udMisc
	udColumns
)

var udColumnNames = [udColumns]string{"ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"}

// udParser turns the lines of one sentence into a UDSentence.
type udParser struct {
	s     *UDSentence
	words int32 // up to here
	empty int32 // empty nodes behind the last word
	span  int32 // the last word of the last multiword token
}

// parseUDSentence parses a text that begins at the given place; ends are those of its
// lines. The strings of the sentence are pieces of the text.
func parseUDSentence(at Position, text string, ends []int) (*UDSentence, error) {
	p := udParser{s: &UDSentence{Pos: at}}
	start := 0
	for i, end := range ends {
		line := text[start:end]
		start = end
		if strings.HasPrefix(line, "#") && len(p.s.Lines) == 0 {
			p.s.Comments = append(p.s.Comments, line)
			continue
		}
		if f := p.line(line); f != nil {
			return nil, syntaxError(Position{at.File, at.Line + i, f.offset + 1}, f.sentinel, f.format, f.args...)
		}
	}
	if err := p.finish(len(ends)); err != nil {
		return nil, err
	}
	return p.s, nil
}

// line adds a line of ten columns.
func (p *udParser) line(text string) *fault {
	var columns [udColumns]string
	var offsets [udColumns]int
	if n := strings.Count(text, "\t") + 1; n != udColumns {
		return &fault{0, nil, "expected %d columns divided by tabs, found %d in %s", []any{udColumns, n, quote(text)}}
	}
	rest, at := text, 0
	for i := range columns {
		columns[i], rest, _ = strings.Cut(rest, "\t")
		offsets[i] = at
		at += len(columns[i]) + len("\t")
		blanks := i == udForm || i == udLemma || i == udMisc
		switch {
		case columns[i] == "":
			return &fault{offsets[i], nil, "expected the column %s, or '_' where it has no value, found nothing", []any{udColumnNames[i]}}
		case !blanks && strings.Contains(columns[i], " "):
			return &fault{offsets[i], nil, "expected no blank in the column %s, found %s", []any{udColumnNames[i], quote(columns[i])}}
		}
	}
	id, ok := parseUDID(columns[udID])
	if !ok {
		return &fault{0, nil, "expected a number such as 3, 3-4 or 3.1, found %s", []any{quote(columns[udID])}}
	}
	if f := p.follow(id); f != nil {
		return f
	}
	head, f := parseUDHead(id, columns[udHead])
	if f != nil {
		f.offset += offsets[udHead]
		return f
	}
	p.s.Lines = append(p.s.Lines, UDToken{
		ID: id, Form: columns[udForm], Lemma: columns[udLemma], UPOS: columns[udUPOS], XPOS: columns[udXPOS],
		Feats: columns[udFeats], Head: head, DepRel: columns[udDepRel], Deps: columns[udDeps], Misc: columns[udMisc],
	})
	return nil
}

// parseUDID reads the number of a line.
func parseUDID(text string) (UDID, bool) {
	number := func(text string) (int32, bool) { return parseClass([]byte(text)) }
	if first, last, ok := strings.Cut(text, "-"); ok {
		from, okFrom := number(first)
		to, okTo := number(last)
		return UDID{First: from, Last: to}, okFrom && okTo && 0 < from && from < to
	}
	if word, empty, ok := strings.Cut(text, "."); ok {
		after, okAfter := number(word)
		i, okEmpty := number(empty)
		return UDID{First: after, Last: after, Empty: i}, okAfter && okEmpty && i > 0
	}
	word, ok := number(text)
	return UDID{First: word, Last: word}, ok && word > 0
}

// follow checks that a number may come next.
func (p *udParser) follow(id UDID) *fault {
	next := UDID{First: p.words + 1, Last: p.words + 1}
	switch {
	case id.Empty > 0:
		next = UDID{First: p.words, Last: p.words, Empty: p.empty + 1}
		p.empty++
	case id.IsWord():
		p.words, p.empty = p.words+1, 0
	case id.First <= p.span:
		return &fault{0, nil, "expected a multiword token behind word %d, where the one before ends, found %s", []any{p.span, id}}
	default:
		p.span = id.Last
		next.Last = id.Last
	}
	if id != next {
		return &fault{0, nil, "expected the number %s, found %s", []any{next, id}}
	}
	return nil
}

func parseUDHead(id UDID, text string) (int32, *fault) {
	if text == "_" {
		return NoHead, nil
	}
	if !id.IsWord() {
		return 0, &fault{0, nil, "expected no head, '_', of %s, which is not a word, found %s", []any{id, quote(text)}}
	}
	head, ok := parseClass([]byte(text))
	if !ok {
		return 0, &fault{0, nil, "expected the number of a word, 0 or '_' as a head, found %s", []any{quote(text)}}
	}
	return head, nil
}

// finish checks what shows at the end of a sentence of so many lines.
func (p *udParser) finish(lines int) error {
	end := p.s.Pos
	end.Line += lines - 1
	switch {
	case p.words == 0:
		return syntaxError(end, nil, "expected a sentence of at least one word, found none")
	case p.span > p.words:
		return syntaxError(end, nil, "expected the words of a multiword token up to %d, found the end of the sentence after %d", p.span, p.words)
	}
	for i, line := range p.s.Lines {
		if line.Head > p.words {
			return syntaxError(p.s.headPosition(i), nil, "expected a head 0..%d, found %d", p.words, line.Head)
		}
	}
	return nil
}
