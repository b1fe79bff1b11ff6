package corpus

import (
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/frondml/frond/data"
)

// FindSST returns the directory of the Stanford Sentiment Treebank in the
// directory "shared" beside the repository that dir is in, or "" if there is none.
func FindSST(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			sst := filepath.Join(filepath.Dir(dir), "shared", "data", "sst")
			if _, err := os.Stat(filepath.Join(sst, "train.txt")); err == nil {
				return sst
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// ReadSST reads count trees, chosen at random but always the same, of the training
// part of the treebank in dir. The vocabulary is that of the whole part.
func ReadSST(dir string, count int) (*Corpus, error) {
	trees, err := data.ReadPTBFile(filepath.Join(dir, "train.txt"), data.SSTOptions())
	if err != nil {
		return nil, err
	}
	vocab := data.BuildVocabulary(data.Tokens(trees), data.VocabularyOptions{})
	c := &Corpus{Name: "sst", Vocab: vocab.Len(), Classes: classes}
	rng := rand.New(rand.NewPCG(uint64(count), 1))
	for _, i := range rng.Perm(len(trees))[:min(count, len(trees))] {
		t := trees[i]
		words := vocab.IDs(t)
		for k, w := range words {
			words[k] = max(w, 0) // inner nodes have none
		}
		c.Trees = append(c.Trees, &Tree{Word: words, Left: t.Left, Right: t.Right, Label: t.Label})
	}
	return c, nil
}
