package data

import (
	"bytes"
	"slices"
	"strconv"
)

// A bracketParser turns the text of one tree into a Tree. It keeps its scratch from
// tree to tree and an explicit stack of the open brackets.
type bracketParser struct {
	o    PTBOptions
	tags map[string]string // tags recur, so each is stored once

	src    []byte
	open   []bracketNode // brackets whose end has not come yet, outermost first
	nodes  []bracketNode // complete nodes, in post-order
	text   []byte        // the words of the tree, one after the other
	tagged bool          // some node has a tag

	arity, size []int32
}

// bracketNode is a node of the tree in work. It holds no pointers, which keeps the
// garbage collector out of the inner loop.
type bracketNode struct {
	offset int32 // in src, of the bracket or bare token
	label  int32
	arity  int32
	tag    span // in src
	word   span // in text
}

// span is a range of text; an empty one stands for no word.
type span struct{ lo, hi int32 }

func (s span) empty() bool { return s.lo == s.hi }

// fault is an error at an offset of the text; positions are worked out only when
// something is wrong.
type fault struct {
	offset   int
	sentinel error
	format   string
	args     []any
}

// Tags beyond these bounds are not shared, which bounds the memory of the table.
const (
	maxSharedTags   = 1 << 16
	maxSharedTagLen = 64
)

func newBracketParser(o PTBOptions) bracketParser {
	return bracketParser{o: o, tags: make(map[string]string)}
}

// parse reads one tree from src, which begins at the given position and holds balanced
// brackets from its first byte to its last.
func (p *bracketParser) parse(src []byte, at Position) (*Tree, error) {
	p.reset(src)
	f := p.checkEncoding()
	for i := 0; f == nil && i < len(src); {
		switch classOf[src[i]] {
		case opens:
			i, f = p.openBracket(i)
		case closes:
			f = p.closeBracket(i)
			i++
		case inToken:
			end := tokenEnd(src, i)
			f = p.token(i, end)
			i = end
		default:
			i++
		}
	}
	if f != nil {
		return nil, syntaxError(position(src, f.offset, at), f.sentinel, f.format, f.args...)
	}
	return p.tree(at)
}

func (p *bracketParser) reset(src []byte) {
	p.src, p.tagged = src, false
	p.open, p.nodes, p.text = p.open[:0], p.nodes[:0], p.text[:0]
}

func (p *bracketParser) checkEncoding() *fault {
	if p.o.Latin1 {
		return nil
	}
	f := encodingFault(p.src)
	if f != nil {
		f.format += " (PTBOptions.Latin1 reads ISO-8859-1)"
	}
	return f
}

// openBracket handles the bracket at i with the label behind it and returns where to
// go on.
func (p *bracketParser) openBracket(i int) (int, *fault) {
	if len(p.open) == p.o.MaxDepth {
		return i, &fault{i, ErrLimit, "expected at most %d nested brackets, found one more", []any{p.o.MaxDepth}}
	}
	if n := len(p.open); n > 0 {
		parent := &p.open[n-1]
		if !parent.word.empty() && !p.o.HeadWords {
			return i, &fault{i, nil, "expected ')' after the token %s, found '('", []any{p.quoteWord(parent.word)}}
		}
		parent.arity++
	}
	node := bracketNode{offset: int32(i), label: NoLabel}
	end := i + 1
	if !p.o.Unlabelled {
		end = tokenEnd(p.src, i+1)
		if f := p.readLabel(&node, i+1, end); f != nil {
			return i, f
		}
	}
	p.open = append(p.open, node)
	return end, nil
}

// readLabel sets the label of a node from src[start:end], which may be empty.
func (p *bracketParser) readLabel(node *bracketNode, start, end int) *fault {
	class, ok := parseClass(p.src[start:end])
	switch {
	case p.o.Classes > 0 && start == end:
		return &fault{start, nil, "expected a label 0..%d, found none", []any{p.o.Classes - 1}}
	case p.o.Classes > 0 && (!ok || int(class) >= p.o.Classes):
		return &fault{start, nil, "expected a label 0..%d, found %s", []any{p.o.Classes - 1, quote(p.src[start:end])}}
	case ok:
		node.label = class
	case start < end:
		node.tag, p.tagged = span{int32(start), int32(end)}, true
	}
	return nil
}

// token handles the token src[start:end].
func (p *bracketParser) token(start, end int) *fault {
	word := p.store(p.src[start:end])
	var node *bracketNode
	if n := len(p.open); n > 0 {
		node = &p.open[n-1]
	}
	switch {
	case p.o.Unlabelled:
		if node != nil { // else the tree is a bare token, as ListOps has them
			node.arity++
		}
		p.nodes = append(p.nodes, bracketNode{offset: int32(start), label: NoLabel, word: word})
	case !node.word.empty():
		return &fault{start, nil, "expected ')' after the token %s, found a second token %s",
			[]any{p.quoteWord(node.word), quote(p.src[start:end])}}
	case node.arity > 0:
		return &fault{start, nil, "expected '(' or ')' after a subtree, found the token %s", []any{quote(p.src[start:end])}}
	default:
		node.word = word
	}
	return nil
}

// closeBracket handles the bracket at i: the node is complete.
func (p *bracketParser) closeBracket(i int) *fault {
	last := len(p.open) - 1
	node := p.open[last]
	p.open = p.open[:last]
	p.nodes = append(p.nodes, node)
	bare := node.arity == 0 && node.word.empty()
	switch {
	case bare && node.label == NoLabel && node.tag.empty():
		return &fault{i, nil, "expected a label, a token or a subtree in brackets, found ')'", nil}
	case bare && p.o.Binary:
		return &fault{i, nil, "expected a token or two subtrees, found ')'", nil}
	case p.o.Binary && node.arity != 0 && node.arity != 2:
		return &fault{int(node.offset), nil, "expected a node with two subtrees, found one with %d", []any{node.arity}}
	}
	return nil
}

// tree makes a Tree of the nodes; nothing in it is shared with the parser.
func (p *bracketParser) tree(at Position) (*Tree, error) {
	n := len(p.nodes)
	p.arity = slices.Grow(p.arity[:0], n)[:n]
	p.size = slices.Grow(p.size[:0], n)[:n]
	t := &Tree{Label: make([]int32, n), Word: make([]string, n), Pos: at}
	text := string(p.text) // one allocation for all words
	for i, node := range p.nodes {
		t.Label[i], p.arity[i] = node.label, node.arity
		if !node.word.empty() {
			t.Word[i] = text[node.word.lo:node.word.hi]
		}
	}
	if p.tagged {
		t.Tag = make([]string, n)
		for i, node := range p.nodes {
			t.Tag[i] = p.shareTag(p.src[node.tag.lo:node.tag.hi])
		}
	}
	if err := t.link(p.arity, p.size); err != nil {
		return nil, err
	}
	return t, nil
}

// store keeps a token, converted as the options say.
func (p *bracketParser) store(token []byte) span {
	lo := len(p.text)
	switch {
	case p.o.Latin1 && p.o.Unescape:
		p.text = appendUnescaped(p.text, appendLatin1(nil, token))
	case p.o.Latin1:
		p.text = appendLatin1(p.text, token)
	case p.o.Unescape:
		p.text = appendUnescaped(p.text, token)
	default:
		p.text = append(p.text, token...)
	}
	return span{int32(lo), int32(len(p.text))}
}

func (p *bracketParser) quoteWord(w span) string { return quote(p.text[w.lo:w.hi]) }

func (p *bracketParser) shareTag(written []byte) string {
	if len(written) == 0 {
		return ""
	}
	if p.o.Latin1 {
		written = appendLatin1(nil, written)
	}
	if tag, ok := p.tags[string(written)]; ok {
		return tag
	}
	tag := string(written)
	if len(tag) <= maxSharedTagLen && len(p.tags) < maxSharedTags {
		p.tags[tag] = tag
	}
	return tag
}

// parseClass reads a number without sign or leading zeros, so that writing the class
// gives the label back.
func parseClass(b []byte) (int32, bool) {
	const maxDigits = 10 // of an int32
	if len(b) == 0 || len(b) > maxDigits || b[0] == '0' && len(b) > 1 {
		return NoLabel, false
	}
	if len(b) == 1 && '0' <= b[0] && b[0] <= '9' {
		return int32(b[0] - '0'), true
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return NoLabel, false
		}
	}
	v, err := strconv.ParseInt(string(b), 10, 32)
	return int32(v), err == nil
}

// position translates an offset in src, whose first byte is at the given place.
func position(src []byte, offset int, at Position) Position {
	before := src[:offset]
	last := bytes.LastIndexByte(before, '\n')
	if last < 0 {
		at.Column += offset
		return at
	}
	at.Line += bytes.Count(before, []byte{'\n'})
	at.Column = offset - last
	return at
}
