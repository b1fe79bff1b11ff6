package main

import (
	"fmt"
	"path/filepath"

	"github.com/frondml/frond/data"
)

// tree is a dependency tree as models.Tree takes it.
type tree struct{ Word, Start, Child []int32 }

// pair is a pair as models.SentencePair takes it.
type pair struct {
	A, B  tree
	Score float32
}

// sets are the three parts of the data and the words of all of them. Those of the parts
// that are not trained on matter with word vectors only, which know more words than the
// pairs to train on have.
type sets struct {
	train, dev, test []pair
	vocabulary       *data.Vocabulary
	trees            []*data.Tree
}

// readSets reads the parts in the directory; pairs limits those to train on unless it
// is 0.
func readSets(dir string, pairs int) (*sets, error) {
	var read [3][]data.SICKPair
	s := &sets{}
	for i, part := range []string{"train", "dev", "test"} {
		var err error
		if read[i], err = data.ReadSICK(filepath.Join(dir, part)); err != nil {
			return nil, err
		}
		if part == "train" && 0 < pairs && pairs < len(read[i]) {
			read[i] = read[i][:pairs]
		}
		for _, p := range read[i] {
			s.trees = append(s.trees, p.A, p.B)
		}
	}
	s.vocabulary = data.BuildVocabulary(s.tokens, data.VocabularyOptions{})
	for i, part := range []*[]pair{&s.train, &s.dev, &s.test} {
		for _, p := range read[i] {
			*part = append(*part, pair{s.tree(p.A), s.tree(p.B), float32(p.Score)})
		}
	}
	return s, nil
}

// tokens iterates over the words of all sentences.
func (s *sets) tokens(yield func(string) bool) { data.Tokens(s.trees)(yield) }

func (s *sets) tree(t *data.Tree) tree {
	return tree{Word: s.vocabulary.IDs(t), Start: t.ChildStart, Child: t.Child}
}

// embedding reads the word vectors, nil where there is no file of them.
func (s *sets) embedding(o settings) (*data.Embedding, error) {
	if o.vectors == "" {
		return nil, nil
	}
	e, err := data.ReadEmbeddingFile(o.vectors, s.vocabulary, data.EmbeddingOptions{Seed: o.seed})
	if err != nil {
		return nil, fmt.Errorf("word vectors: %w", err)
	}
	return e, nil
}
