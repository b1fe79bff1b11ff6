package data

import (
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

// DefaultVectorScale bounds the elements of vectors that are drawn at random, as in the
// experiments of Tai et al. (2015).
const DefaultVectorScale = 0.05

// EmbeddingOptions says how the initial word vectors of a vocabulary are made.
type EmbeddingOptions struct {
	// VectorOptions is about the file. A word is taken if the vocabulary wants it and
	// Keep, where there is one, agrees.
	VectorOptions
	// Spellings returns the forms under which a word of the vocabulary may stand in the
	// file, best first; nil means the function Spellings of this package.
	Spellings func(word string) []string
	// Seed and Scale say what words get that the file does not hold: elements from
	// [-Scale, Scale), drawn evenly, which depend on Seed, the word's id and nothing
	// else. A Scale of 0 means DefaultVectorScale. Unknown is such a word unless the
	// file has a vector of that name.
	Seed  uint64
	Scale float64
	// Zeros gives such words zeros instead.
	Zeros bool
}

func (o EmbeddingOptions) resolve() (EmbeddingOptions, error) {
	if o.Spellings == nil {
		o.Spellings = Spellings
	}
	setDefault(&o.Scale, DefaultVectorScale)
	if !(o.Scale > 0 && o.Scale <= math.MaxFloat32) {
		return o, fmt.Errorf("%w: got Scale %v, want a positive number", ErrOption, o.Scale)
	}
	return o, o.check()
}

// Spellings returns a word of a treebank as files of word vectors may have it: as it
// is, with the escapes of the Penn Treebank undone (-LRB- is "("), and that in lower
// case.
func Spellings(word string) []string {
	plain := string(appendUnescaped(nil, []byte(word)))
	return slices.Compact([]string{word, plain, strings.ToLower(plain)})
}

// Embedding is a matrix of initial word vectors for a vocabulary.
type Embedding struct {
	Vocabulary *Vocabulary
	Dim        int
	Rows       []float32 // [words dim], the vector of id i is row i
	Known      []bool    // [words] whether the file holds the word
}

// ReadEmbedding reads the vectors of the words of v from r up to its end, or MaxWords.
// The memory it takes is that of the matrix, however large the input is. Where several
// spellings of a word are in the file the best one counts, wherever it stands.
//
// Malformed lines, and words that come twice (the first vector stays), are skipped and
// reported; Trees in the report counts the vectors taken. The error is one that ended
// the stream, or is about options, or wraps ErrEmpty: r holds no vector at all, so that
// not even Dim is known.
func ReadEmbedding(r io.Reader, name string, v *Vocabulary, o EmbeddingOptions) (*Embedding, Report, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, Report{}, err
	}
	b := newEmbeddingBuilder(v, o)
	o.Keep = b.keep
	reader := NewVectorReader(r, name, o.VectorOptions)
	taken := func(yield func(struct{}, error) bool) {
		for w, err := range reader.All() {
			if err == nil {
				err = b.add(w)
			}
			if !yield(struct{}{}, err) {
				return
			}
		}
	}
	_, report, err := Collect(iter.Seq2[struct{}, error](taken))
	if err == nil && reader.Dim() == 0 {
		err = fmt.Errorf("%w: %s: expected at least one word vector, found none", ErrEmpty, name)
	}
	if err != nil {
		return nil, report, err
	}
	return b.finish(reader.Dim()), report, nil
}

// ReadEmbeddingFile reads the vectors of the words of v from a file. Where ReadEmbedding
// skips and reports, it returns an error that joins the reported ones; the embedding is
// returned all the same.
func ReadEmbeddingFile(path string, v *Vocabulary, o EmbeddingOptions) (*Embedding, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer file.Close()
	e, report, err := ReadEmbedding(file, path, v, o)
	return e, report.strict(path, err)
}

// Row returns the vector of a word [dim], as a part of Rows. The id must be one of the
// vocabulary.
func (e *Embedding) Row(id int32) []float32 {
	at := int(id) * e.Dim
	return e.Rows[at : at+e.Dim : at+e.Dim]
}

// OOV counts which of the tokens have no vector from the file. Types are those of
// Vocabulary.OOV.
func (e *Embedding) OOV(tokens iter.Seq[string]) OOV {
	return e.Vocabulary.countUnknown(tokens, func(id int32) bool { return e.Known[id] })
}

// embeddingBuilder fills an Embedding while vectors come in.
type embeddingBuilder struct {
	e      *Embedding
	o      EmbeddingOptions
	wanted map[string]*spelling
	rank   []int // of the spelling that has given each row
}

// spelling is a form under which words of the vocabulary are looked for.
type spelling struct {
	words []spelled
	found Position // where it stands in the file; Line is 0 before it is met
}

type spelled struct {
	id   int32
	rank int // 0 is best
}

func newEmbeddingBuilder(v *Vocabulary, o EmbeddingOptions) *embeddingBuilder {
	b := &embeddingBuilder{
		e: &Embedding{Vocabulary: v, Known: make([]bool, v.Len())},
		o: o, wanted: make(map[string]*spelling, v.Len()), rank: make([]int, v.Len()),
	}
	for id := range int32(v.Len()) {
		for rank, form := range o.Spellings(v.Word(id)) {
			s := b.wanted[form]
			if s == nil {
				s = &spelling{}
				b.wanted[form] = s
			}
			s.words = append(s.words, spelled{id, rank})
		}
	}
	return b
}

func (b *embeddingBuilder) keep(word string) bool {
	return b.wanted[word] != nil && (b.o.Keep == nil || b.o.Keep(word))
}

func (b *embeddingBuilder) add(w WordVector) error {
	s := b.wanted[w.Word]
	if s.found.Line > 0 {
		return syntaxError(w.Pos, nil, "expected a new word, found %s, which is in line %d", quote(w.Word), s.found.Line)
	}
	s.found = w.Pos
	b.allocate(len(w.Vector))
	for _, user := range s.words {
		if !b.e.Known[user.id] || user.rank < b.rank[user.id] {
			b.e.Known[user.id], b.rank[user.id] = true, user.rank
			copy(b.e.Row(user.id), w.Vector)
		}
	}
	return nil
}

func (b *embeddingBuilder) allocate(dim int) {
	if b.e.Rows == nil {
		b.e.Dim = dim
		b.e.Rows = make([]float32, len(b.e.Known)*dim)
	}
}

// finish gives vectors to the words that have none.
func (b *embeddingBuilder) finish(dim int) *Embedding {
	b.allocate(dim)
	if b.o.Zeros {
		return b.e
	}
	for id, known := range b.e.Known {
		if known {
			continue
		}
		source := rand.NewPCG(b.o.Seed, uint64(id))
		row := b.e.Row(int32(id))
		for i := range row {
			unit := float64(source.Uint64()>>11) / (1 << 53) // [0, 1)
			row[i] = float32((2*unit - 1) * b.o.Scale)
		}
	}
	return b.e
}
