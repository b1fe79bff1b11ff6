package main

import (
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/graph"
)

// embeddingName is the variable that holds the word vectors in all networks.
const embeddingName = "E"

// words numbers the words of the training set, and returns the vectors that they begin
// with, nil where these are random.
func (c config) words(train corpus) (*data.Vocabulary, *data.Embedding, error) {
	v := c.buildVocabulary(train.trees)
	if c.Vectors == "" {
		return v, nil, nil
	}
	all, err := c.readVectors(c.number(data.Tokens(train.trees), 1))
	if err != nil {
		return nil, nil, fmt.Errorf("-vectors: %w", err)
	}
	v = c.number(wordsOfUse(train.trees, v, all), 1)
	return v, selectVectors(all, v), nil
}

// readVectors reads the vectors of the words, and makes random ones for those that the
// file does not have.
func (c config) readVectors(v *data.Vocabulary) (*data.Embedding, error) {
	o := data.EmbeddingOptions{Seed: c.Seed, Spellings: spellings}
	if filepath.Ext(c.Vectors) == ".bin" {
		o.Format = data.VectorBinary
	}
	return data.ReadEmbeddingFile(c.Vectors, v, o)
}

// spellings also knows the escapes of brackets in lower case, into which the vocabulary
// may have mapped them.
func spellings(word string) []string {
	return append(data.Spellings(word), data.Spellings(strings.ToUpper(word))[1:]...)
}

// wordsOfUse iterates over the words of the trees that are frequent or have a vector:
// of the others nothing is known and too little can be learnt.
func wordsOfUse(trees []*data.Tree, frequent *data.Vocabulary, vectors *data.Embedding) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range data.Tokens(trees) {
			use := frequent.ID(word) > 0 || vectors.Known[vectors.Vocabulary.ID(word)]
			if use && !yield(word) {
				return
			}
		}
	}
}

// selectVectors returns the vectors of the words of v, all of which e has.
func selectVectors(e *data.Embedding, v *data.Vocabulary) *data.Embedding {
	s := &data.Embedding{Vocabulary: v, Dim: e.Dim, Rows: make([]float32, v.Len()*e.Dim), Known: make([]bool, v.Len())}
	for id := range int32(v.Len()) {
		from := e.Vocabulary.ID(v.Word(id))
		copy(s.Row(id), e.Row(from))
		s.Known[id] = e.Known[from]
	}
	return s
}

// settleWidths settles the widths of a new model, which begins with vectors or with
// random ones (nil).
func (c *config) settleWidths(vectors *data.Embedding) error {
	width := 0
	if vectors != nil {
		width = vectors.Dim
	}
	if err := c.resolveWidths(width); err != nil {
		return err
	}
	return c.check()
}

// describeVectors tells for how many words there is a vector.
func (c config) describeVectors(w io.Writer, e *data.Embedding, sets splits) {
	known := 0
	for _, k := range e.Known {
		if k {
			known++
		}
	}
	fmt.Fprintf(w, "%s: %d elements; vectors for %d of %s\n", c.Vectors, e.Dim, known, count(e.Vocabulary.Len(), "word"))
	for _, set := range []corpus{sets.train, sets.dev} {
		oov := e.OOV(data.Tokens(set.trees))
		fmt.Fprintf(w, "%s: without a vector: %s, %s\n", set.name,
			share(oov.UnknownTypes, oov.Types, "types"), share(oov.UnknownTokens, oov.Tokens, "tokens"))
	}
}

// share tells how many of all things something is true of.
func share(part, all int, things string) string {
	return fmt.Sprintf("%d of %d %s (%v)", part, all, things, ratio{part, all})
}

// setVectors replaces the initial word vectors of the model.
func (m *model) setVectors(e *data.Embedding) error {
	params := m.session.Parameters()
	var variable *graph.Variable
	for _, v := range params.Program().Variables {
		if v.Name == embeddingName {
			variable = v
		}
	}
	return params.Set(variable, e.Rows)
}
