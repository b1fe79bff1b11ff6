package data

import "io"

// A jsonParser makes trees of documents, with an explicit stack of what is open. It
// keeps its scratch from document to document.
type jsonParser struct {
	jsonScanner
	maxDepth int

	depth int        // objects and arrays in open
	open  []jsonNode // objects, arrays and keys that are not complete, outermost first
	nodes []jsonNode // complete nodes, in post-order

	arity, size []int32
}

// jsonNode is a node of the document in work. It holds no pointers, which keeps the
// garbage collector out of the inner loop.
type jsonNode struct {
	kind  jsonKind
	arity int32
	word  span // in text
}

type jsonKind uint8

const (
	jsonObject jsonKind = iota
	jsonArray
	jsonKey
	jsonString
	jsonNumber
	jsonBool
	jsonNull
)

var jsonTags = [...]string{
	jsonObject: JSONObject, jsonArray: JSONArray, jsonKey: JSONKey, jsonString: JSONString,
	jsonNumber: JSONNumber, jsonBool: JSONBool, jsonNull: JSONNull,
}

// jsonState is what the grammar allows next.
type jsonState uint8

const (
	wantValue jsonState = iota
	wantElementOrEnd
	wantKey
	wantKeyOrEnd
	wantColon
	wantCommaOrBracket
	wantCommaOrBrace
	jsonDone
)

var jsonWants = [...]string{
	wantValue: "a value", wantElementOrEnd: "a value or ']'", wantKey: "a key", wantKeyOrEnd: "a key or '}'",
	wantColon: "':' after the key", wantCommaOrBracket: "',' or ']'", wantCommaOrBrace: "',' or '}'",
}

func newJSONParser(r io.Reader, o JSONOptions) jsonParser {
	return jsonParser{jsonScanner: newJSONScanner(r, o), maxDepth: o.MaxDepth}
}

// document returns the next document, a *SyntaxError without a file name, io.EOF, or
// an error of the input.
func (p *jsonParser) document() (*Tree, error) {
	if err := p.begin(); err != nil {
		return nil, err
	}
	p.depth, p.open, p.nodes = 0, p.open[:0], p.nodes[:0]
	state := wantValue
	for state != jsonDone {
		c, err := p.peek(jsonWants[state])
		if err != nil {
			return nil, err
		}
		if state, err = p.step(state, c); err != nil {
			return nil, err
		}
		if err := p.checkLength(); err != nil {
			return nil, err
		}
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return p.tree()
}

// step consumes the token that begins with c and returns what may follow it.
func (p *jsonParser) step(state jsonState, c byte) (jsonState, error) {
	switch state {
	case wantColon:
		if c == ':' {
			p.window.advance(1)
			return wantValue, nil
		}
	case wantKey, wantKeyOrEnd:
		switch {
		case c == '"':
			return p.key()
		case c == '}' && state == wantKeyOrEnd:
			return p.close(), nil
		}
	case wantCommaOrBracket, wantCommaOrBrace:
		return p.separator(state, c)
	case wantElementOrEnd:
		if c == ']' {
			return p.close(), nil
		}
		return p.value(c, state)
	default:
		return p.value(c, state)
	}
	return state, p.unexpected(jsonWants[state])
}

func (p *jsonParser) key() (jsonState, error) {
	word, err := p.str()
	p.open = append(p.open, jsonNode{kind: jsonKey, word: word})
	return wantColon, err
}

// separator handles what follows a value in an object or array.
func (p *jsonParser) separator(state jsonState, c byte) (jsonState, error) {
	next, closer := wantValue, byte(']')
	if state == wantCommaOrBrace {
		next, closer = wantKey, '}'
	}
	switch c {
	case ',':
		p.window.advance(1)
		return next, nil
	case closer:
		return p.close(), nil
	}
	return state, p.unexpected(jsonWants[state])
}

// value handles the value that begins with c.
func (p *jsonParser) value(c byte, state jsonState) (jsonState, error) {
	switch c {
	case '{':
		return wantKeyOrEnd, p.begins(jsonObject)
	case '[':
		return wantElementOrEnd, p.begins(jsonArray)
	case '"':
		word, err := p.str()
		return p.complete(jsonNode{kind: jsonString, word: word}), err
	}
	kind, word, err := p.literal(jsonWants[state])
	return p.complete(jsonNode{kind: kind, word: word}), err
}

// begins opens an object or array.
func (p *jsonParser) begins(kind jsonKind) error {
	if p.depth == p.maxDepth {
		return syntaxError(p.window.position(), ErrLimit, "expected at most %d nested objects and arrays, found one more", p.maxDepth)
	}
	p.depth++
	p.window.advance(1)
	p.open = append(p.open, jsonNode{kind: kind})
	return nil
}

// close ends the innermost object or array.
func (p *jsonParser) close() jsonState {
	p.window.advance(1)
	p.depth--
	return p.complete(p.pop())
}

func (p *jsonParser) pop() jsonNode {
	last := len(p.open) - 1
	node := p.open[last]
	p.open = p.open[:last]
	return node
}

// complete adds a value and the key that it belongs to.
func (p *jsonParser) complete(value jsonNode) jsonState {
	p.nodes = append(p.nodes, value)
	if len(p.open) == 0 {
		return jsonDone
	}
	next := wantCommaOrBracket
	if p.open[len(p.open)-1].kind == jsonKey {
		key := p.pop()
		key.arity = 1
		p.nodes = append(p.nodes, key)
		next = wantCommaOrBrace
	}
	p.open[len(p.open)-1].arity++
	return next
}

// tree makes a Tree of the nodes.
func (p *jsonParser) tree() (*Tree, error) {
	n := len(p.nodes)
	t := &Tree{Label: make([]int32, n), Tag: make([]string, n), Word: make([]string, n), Pos: p.start}
	text := string(p.text) // one allocation for all words
	p.arity, p.size = p.arity[:0], append(p.size[:0], make([]int32, n)...)
	for i, node := range p.nodes {
		t.Label[i] = NoLabel
		t.Tag[i] = jsonTags[node.kind]
		t.Word[i] = text[node.word.lo:node.word.hi]
		p.arity = append(p.arity, node.arity)
	}
	return t, t.link(p.arity, p.size)
}
