package data

import (
	"fmt"
	"iter"
	"strconv"
)

// DependencyTree makes a tree of the words of a sentence and their heads: heads[i] is
// the position, from 1, of the word that words[i] depends on, 0 for the root. Every
// node has a word; children are ordered by position; Index holds the positions, from
// 0. No node has a label. The error wraps ErrTree.
func DependencyTree(words []string, heads []int32) (*Tree, error) {
	if len(words) != len(heads) {
		return nil, fmt.Errorf("%w: got %d words and %d heads, want as many", ErrTree, len(words), len(heads))
	}
	t, f := dependencyTree(words, heads)
	if f != nil {
		return nil, fmt.Errorf("%w: word %d: "+f.format, append([]any{ErrTree, f.offset + 1}, f.args...)...)
	}
	return t, nil
}

// dependencyTree makes the tree, or returns a fault whose offset is an index of heads.
func dependencyTree(words []string, heads []int32) (*Tree, *fault) {
	root, f := findRoot(heads, "head")
	if f != nil {
		return nil, f
	}
	start, dependents := listDependents(heads)
	order := postOrder(root, start, dependents)
	n := len(heads)
	if len(order) < n {
		return nil, findCycle(heads, order, "head")
	}
	t := &Tree{Label: make([]int32, n), Word: make([]string, n), Index: order}
	arity := make([]int32, n)
	for i, word := range order {
		t.Label[i], t.Word[i], arity[i] = NoLabel, words[word], start[word+1]-start[word]
	}
	if err := t.link(arity, make([]int32, n)); err != nil {
		return nil, &fault{0, nil, "%v", []any{err}} // a post-order it is
	}
	return t, nil
}

// findRoot returns the only node whose head, or parent as kind says, is 0, after checking
// the range of all of them.
func findRoot(heads []int32, kind string) (int32, *fault) {
	const none = -1
	root := int32(none)
	for i, h := range heads {
		switch {
		case h < 0 || int(h) > len(heads):
			return 0, &fault{i, nil, "expected a %s 0..%d, found %d", []any{kind, len(heads), h}}
		case h == 0 && root != none:
			return 0, &fault{i, nil, "expected one %s 0, found a second (the first is that of number %d)", []any{kind, root + 1}}
		case h == 0:
			root = int32(i)
		}
	}
	if root == none {
		return 0, &fault{0, nil, "expected one %s 0, found none among %d", []any{kind, len(heads)}}
	}
	return root, nil
}

// listDependents inverts heads: the dependents of word i are
// dependents[start[i]:start[i+1]], by position.
func listDependents(heads []int32) (start, dependents []int32) {
	n := len(heads)
	start, dependents = make([]int32, n+1), make([]int32, n)
	for _, h := range heads {
		if h > 0 {
			start[h]++
		}
	}
	for i := range n {
		start[i+1] += start[i]
	}
	next := append([]int32(nil), start...)
	for i, h := range heads {
		if h > 0 {
			dependents[next[h-1]] = int32(i)
			next[h-1]++
		}
	}
	return start, dependents
}

// findCycle returns a fault at the first word of a cycle, given the words that hang
// from the root; there are others.
func findCycle(heads, reached []int32, kind string) *fault {
	const onPath, done = 1, 2
	state := make([]uint8, len(heads))
	for _, i := range reached {
		state[i] = done
	}
	first := 0
	for state[first] == done {
		first++
	}
	// Heads of words that do not hang from the root never leave such words, so that
	// following them ends in a cycle.
	at := int32(first)
	for state[at] == 0 {
		state[at] = onPath
		at = heads[at] - 1
	}
	length, lowest := 1, at
	for i := heads[at] - 1; i != at; i = heads[i] - 1 {
		length++
		lowest = min(lowest, i)
	}
	return &fault{int(lowest), nil, "expected a %s that leads to the root, found %d, part of a cycle of %d",
		[]any{kind, heads[lowest], length}}
}

// ParentsReader reads dependency trees from two inputs as the TreeLSTM programs of
// Tai et al. (2015) use them: a sentence per line, its tokens in one input and their
// heads, counted from 1 with 0 for the root, in the other.
type ParentsReader struct {
	group  lineGroup
	parser dependencyParser
}

// NewParentsReader returns a reader of both inputs.
func NewParentsReader(toks, parents Source) *ParentsReader {
	return &ParentsReader{group: newLineGroup(toks, parents)}
}

// Next returns the tree of the next sentence, io.EOF after the last one, or a
// *SyntaxError, after which it goes on with the next sentence. When one input has
// fewer lines than the other, that is reported once and ends the stream; an error of
// an input is final.
func (p *ParentsReader) Next() (*Tree, error) {
	if err := p.group.next(); err != nil {
		return nil, err
	}
	return p.parser.parse(&p.group.readers[0], &p.group.readers[1], p.group.lines[0], p.group.lines[1])
}

// All iterates over the rest of the stream, like PTBReader.All.
func (p *ParentsReader) All() iter.Seq2[*Tree, error] { return sequence(p.Next) }

// dependencyParser makes a tree from a line of tokens and a line of heads. Its fields
// are scratch.
type dependencyParser struct {
	words   []string
	heads   []int32
	offsets []int // of the heads in their line
}

func (p *dependencyParser) parse(toks, parents *lineReader, tokens, heads []byte) (*Tree, error) {
	if err := toks.checkUTF8(tokens); err != nil {
		return nil, err
	}
	text := string(tokens) // one allocation for all words
	p.words, p.heads, p.offsets = p.words[:0], p.heads[:0], p.offsets[:0]
	for at, word := range fields(tokens) {
		p.words = append(p.words, text[at:at+len(word)])
	}
	if len(p.words) == 0 {
		return nil, toks.errorf(0, nil, "expected the tokens of a sentence, found an empty line")
	}
	for at, field := range fields(heads) {
		head, err := strconv.ParseInt(string(field), 10, 32)
		if err != nil {
			return nil, parents.errorf(at, nil, "expected a head 0..%d, found %s", len(p.words), quote(field))
		}
		p.heads, p.offsets = append(p.heads, int32(head)), append(p.offsets, at)
	}
	if len(p.heads) != len(p.words) {
		return nil, parents.errorf(0, nil, "expected %d heads, one per token of %s, found %d",
			len(p.words), toks.at(0), len(p.heads))
	}
	tree, f := dependencyTree(p.words, p.heads)
	if f != nil {
		return nil, parents.errorf(p.offsets[f.offset], f.sentinel, f.format, f.args...)
	}
	tree.Pos = toks.at(0)
	return tree, nil
}
