package data

import (
	"fmt"
	"strconv"
	"strings"
)

// NoHead is the Head of a line of CoNLL-U that has none: "_" in the file.
const NoHead int32 = -1

// UDSentence is a sentence of a treebank in the CoNLL-U format of Universal
// Dependencies, with all that its lines hold.
type UDSentence struct {
	Comments []string  // the lines in front, "#" included
	Lines    []UDToken // words, multiword tokens and empty nodes in the order of the file
	Pos      Position  // of the first line, which may be a comment
}

// UDToken is a line of a sentence with its ten columns. A column without a value is "_",
// as in the file.
type UDToken struct {
	ID                             UDID
	Form, Lemma, UPOS, XPOS, Feats string
	Head                           int32 // the word this one depends on, from 1; 0 for the root; NoHead
	DepRel, Deps, Misc             string
}

// UDID is the first column of a line. The words of a sentence are numbered from 1.
type UDID struct {
	First int32 // the word; the first one of a multiword token; the one in front of an empty node
	Last  int32 // the last word of a multiword token, else First
	Empty int32 // the number, from 1, of an empty node behind the word First, else 0
}

// IsWord reports whether the line is a word, which is what a dependency tree has at its
// nodes, rather than a multiword token or an empty node.
func (id UDID) IsWord() bool { return id.First == id.Last && id.Empty == 0 }

// String returns the number as it is written: "3", "3-4" for a multiword token, "3.1" for
// an empty node.
func (id UDID) String() string { return string(id.append(nil)) }

func (id UDID) append(dst []byte) []byte {
	dst = strconv.AppendInt(dst, int64(id.First), 10)
	switch {
	case id.Empty > 0:
		return strconv.AppendInt(append(dst, '.'), int64(id.Empty), 10)
	case id.Last != id.First:
		return strconv.AppendInt(append(dst, '-'), int64(id.Last), 10)
	}
	return dst
}

// Words returns the lines that are words. The word of node i of the tree of the sentence
// is the one with the index Tree.Index[i].
func (s *UDSentence) Words() []UDToken {
	words := make([]UDToken, 0, len(s.Lines))
	for _, line := range s.Lines {
		if line.ID.IsWord() {
			words = append(words, line)
		}
	}
	return words
}

// Meta returns the value of a comment "# key = value", and whether there is one. The keys
// of Universal Dependencies are "sent_id" and "text", among others.
func (s *UDSentence) Meta(key string) (string, bool) {
	for _, comment := range s.Comments {
		name, value, ok := strings.Cut(strings.TrimPrefix(comment, "#"), "=")
		if ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// Tree returns the dependency tree of the words, as DependencyTree makes it of their
// forms and heads, projective or not; the label of a node is the relation to its head.
// Multiword tokens and empty nodes are left out. The error is a *SyntaxError at the head
// that is wrong.
func (s *UDSentence) Tree() (*Tree, error) {
	var words []string
	var heads []int32
	var lines []int // of the words, in s.Lines
	for i, line := range s.Lines {
		if !line.ID.IsWord() {
			continue
		}
		if line.Head == NoHead {
			return nil, syntaxError(s.headPosition(i), nil, "expected the head of %s, found none", quote(line.Form))
		}
		words, heads, lines = append(words, line.Form), append(heads, line.Head), append(lines, i)
	}
	t, f := dependencyTree(words, heads)
	if f != nil {
		at := s.Pos
		if len(lines) > 0 {
			at = s.headPosition(lines[f.offset])
		}
		return nil, syntaxError(at, f.sentinel, f.format, f.args...)
	}
	t.Tag, t.Pos = make([]string, t.Len()), s.Pos
	for i, at := range t.Index {
		relation := s.Lines[lines[at]].DepRel
		if class, numeric := parseClass([]byte(relation)); numeric {
			t.Label[i] = class
		} else {
			t.Tag[i] = relation
		}
	}
	return t, nil
}

// headPosition returns the place of the head of a line.
func (s *UDSentence) headPosition(i int) Position {
	line := s.Lines[i]
	at := s.Pos
	at.Line += len(s.Comments) + i
	at.Column = 1 + len(line.ID.String()) + len("\t")
	for _, column := range []string{line.Form, line.Lemma, line.UPOS, line.XPOS, line.Feats} {
		at.Column += len(column) + len("\t")
	}
	return at
}

// Append appends the lines of the sentence, and the empty one that ends it, to dst.
// Reading them gives an equal sentence, and writing what was read gives the bytes of the
// file, if its lines end with LF and sentences with one empty line.
func (s *UDSentence) Append(dst []byte) []byte {
	for _, comment := range s.Comments {
		dst = append(append(dst, comment...), '\n')
	}
	for _, line := range s.Lines {
		dst = line.ID.append(dst)
		for _, column := range []string{line.Form, line.Lemma, line.UPOS, line.XPOS, line.Feats} {
			dst = append(append(dst, '\t'), column...)
		}
		if line.Head == NoHead {
			dst = append(dst, "\t_"...)
		} else {
			dst = strconv.AppendInt(append(dst, '\t'), int64(line.Head), 10)
		}
		for _, column := range []string{line.DepRel, line.Deps, line.Misc} {
			dst = append(append(dst, '\t'), column...)
		}
		dst = append(dst, '\n')
	}
	return append(dst, '\n')
}

// String returns what Append appends.
func (s *UDSentence) String() string { return string(s.Append(nil)) }

var _ fmt.Stringer = (*UDSentence)(nil)
