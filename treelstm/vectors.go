package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/graph"
)

// embeddingName is the variable that holds the word vectors in all networks.
const embeddingName = "E"

// readVectors reads the initial vectors of the words, tells w how many words have one,
// and returns them.
func (c config) readVectors(v *data.Vocabulary, sets splits, w io.Writer) (*data.Embedding, error) {
	o := data.EmbeddingOptions{Seed: c.Seed}
	if filepath.Ext(c.Vectors) == ".bin" {
		o.Format = data.VectorBinary
	}
	e, err := data.ReadEmbeddingFile(c.Vectors, v, o)
	if err != nil {
		return nil, fmt.Errorf("-vectors: %w", err)
	}
	known := 0
	for _, k := range e.Known {
		if k {
			known++
		}
	}
	fmt.Fprintf(w, "%s: %d elements; vectors for %d of %s\n", c.Vectors, e.Dim, known, count(v.Len(), "word"))
	for _, set := range []corpus{sets.train, sets.dev} {
		oov := e.OOV(data.Tokens(set.trees))
		fmt.Fprintf(w, "%s: without a vector: %s\n", set.name, strings.Join([]string{
			share(oov.UnknownTypes, oov.Types, "types"), share(oov.UnknownTokens, oov.Tokens, "tokens"),
		}, ", "))
	}
	return e, nil
}

// share tells how many of all things something is true of.
func share(part, all int, things string) string {
	return fmt.Sprintf("%d of %d %s (%.1f%%)", part, all, things, 100*ratio{part, all}.share())
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
