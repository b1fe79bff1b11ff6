package data

import (
	"bytes"
	"errors"
	"iter"
	"math"
	"strconv"
)

// PhraseOptions says how the inputs of a PhraseReader are written.
type PhraseOptions struct {
	// Separator divides the fields of a line; 0 stands for any number of ASCII blanks.
	// The files SOStr.txt and STree.txt of the Stanford Sentiment Treebank have '|'.
	Separator byte
	// FirstLabel is the label that becomes class 0: -2 in the files of Tai et al. (2015),
	// whose labels are -2..2. A label "#" is none.
	FirstLabel int32
}

// PhraseReader reads trees from parent pointers, a sentence per line: its tokens in one
// input, and in another the parents of all nodes, numbered as PhraseTree says. That is how
// the Stanford Sentiment Treebank gives its trees, and how the TreeLSTM programs of Tai
// et al. (2015) prepare them, with a third input for the labels of the nodes.
type PhraseReader struct {
	group  lineGroup
	o      PhraseOptions
	labels bool // there is a third input

	words            []string
	numbers, classes []int32
	offsets          []int // of the numbers in their line
}

// The order of the inputs in the group.
const (
	phraseToks = iota
	phraseParents
	phraseLabels
)

// NewPhraseReader returns a reader of the inputs. Without labels, labels.R is nil.
func NewPhraseReader(toks, parents, labels Source, o PhraseOptions) *PhraseReader {
	p := &PhraseReader{o: o, labels: labels.R != nil}
	if p.labels {
		p.group = newLineGroup(toks, parents, labels)
	} else {
		p.group = newLineGroup(toks, parents)
	}
	return p
}

// Next returns the tree of the next sentence, io.EOF after the last one, or a
// *SyntaxError, after which it goes on with the next sentence. When one input has fewer
// lines than the others, that is reported once and ends the stream; an error of an input
// is final.
func (p *PhraseReader) Next() (*Tree, error) {
	if err := p.group.next(); err != nil {
		return nil, err
	}
	if err := errors.Join(p.readWords(), p.readParents(), p.readLabels()); err != nil {
		return nil, err
	}
	toks, parents := &p.group.readers[phraseToks], &p.group.readers[phraseParents]
	if len(p.numbers) < len(p.words) {
		return nil, parents.errorf(0, nil, "expected %d parents at least, one per token of %s, found %d", len(p.words), toks.at(0), len(p.numbers))
	}
	var classes []int32
	if p.labels {
		classes = p.classes
		if len(classes) != len(p.numbers) {
			return nil, p.group.readers[phraseLabels].errorf(0, nil, "expected %d labels, one per node of %s, found %d",
				len(p.numbers), parents.at(0), len(classes))
		}
	}
	tree, f := phraseTree(p.words, p.numbers, classes)
	if f != nil {
		return nil, parents.errorf(p.offsets[f.offset], f.sentinel, f.format, f.args...)
	}
	tree.Pos = toks.at(0)
	return tree, nil
}

// All iterates over the rest of the stream, like PTBReader.All.
func (p *PhraseReader) All() iter.Seq2[*Tree, error] { return sequence(p.Next) }

// split iterates over the fields of a line, with offsets.
func (p *PhraseReader) split(line []byte) iter.Seq2[int, []byte] {
	if p.o.Separator == 0 {
		return fields(line)
	}
	return func(yield func(int, []byte) bool) {
		at := 0
		for part := range bytes.SplitSeq(line, []byte{p.o.Separator}) {
			if !yield(at, part) {
				return
			}
			at += len(part) + 1
		}
	}
}

func (p *PhraseReader) readWords() error {
	r, line := &p.group.readers[phraseToks], p.group.lines[phraseToks]
	p.words = p.words[:0]
	if err := r.checkUTF8(line); err != nil {
		return err
	}
	text := string(line) // one allocation for all words
	for at, word := range p.split(line) {
		if len(word) == 0 {
			return r.errorf(at, nil, "expected a token, found none")
		}
		p.words = append(p.words, text[at:at+len(word)])
	}
	if len(p.words) == 0 {
		return r.errorf(0, nil, "expected the tokens of a sentence, found an empty line")
	}
	return nil
}

func (p *PhraseReader) readParents() error {
	r := &p.group.readers[phraseParents]
	p.numbers, p.offsets = p.numbers[:0], p.offsets[:0]
	for at, field := range p.split(p.group.lines[phraseParents]) {
		n, err := strconv.ParseInt(string(field), 10, 32)
		if err != nil {
			return r.errorf(at, nil, "expected the number of a parent, found %s", quote(field))
		}
		p.numbers, p.offsets = append(p.numbers, int32(n)), append(p.offsets, at)
	}
	return nil
}

func (p *PhraseReader) readLabels() error {
	if !p.labels {
		return nil
	}
	r := &p.group.readers[phraseLabels]
	p.classes = p.classes[:0]
	for at, field := range p.split(p.group.lines[phraseLabels]) {
		class := int64(NoLabel)
		if string(field) != "#" {
			n, err := strconv.ParseInt(string(field), 10, 32)
			class = n - int64(p.o.FirstLabel)
			if err != nil || class < 0 || class > math.MaxInt32 {
				return r.errorf(at, nil, "expected a label from %d on, or '#', found %s", p.o.FirstLabel, quote(field))
			}
		}
		p.classes = append(p.classes, int32(class))
	}
	return nil
}
