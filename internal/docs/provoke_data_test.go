package docs

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"github.com/frondml/frond/data"
)

func provokeTreeSyntax() error {
	text := "(3 (2 It) (4 works))\n(3 (2 Not) (7 here))\n"
	r := data.NewPTBReader(strings.NewReader(text), "trees.txt", data.SSTOptions())
	for _, err := range r.All() {
		if err != nil {
			return err
		}
	}
	return nil
}

func provokeLimit() error {
	text := strings.Repeat("(1 ", 50) + "word" + strings.Repeat(")", 50)
	_, err := data.NewPTBReader(strings.NewReader(text), "deep.txt", data.PTBOptions{MaxDepth: 20}).Next()
	return err
}

func provokeEmpty() error {
	return inTempDir("train.txt", func(path string) error {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		_, err := data.ReadPTBFile(path, data.SSTOptions())
		return err
	})
}

func provokeOption() error {
	_, err := data.GenerateListOps(1, 100, data.ListOpsOptions{MinLength: 50, MaxLength: 10})
	return err
}

func provokeTree() error {
	_, err := data.DependencyTree([]string{"a", "dog", "barks"}, []int32{2, 1, 0})
	return err
}

func provokeWord() error {
	words := data.BuildVocabulary(slices.Values([]string{"New York"}), data.VocabularyOptions{NoUnknown: true})
	embedding := data.Embedding{Vocabulary: words, Dim: 2, Rows: []float32{1, 2}}
	return embedding.Write(new(bytes.Buffer), data.VectorText)
}
