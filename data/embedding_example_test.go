package data_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondml/frond/data"
)

func ExampleReadEmbedding() {
	tokens := []string{"The", "-LRB-", "movie", "-RRB-", "rocks", "movie"}
	v := data.BuildVocabulary(slices.Values(tokens), data.VocabularyOptions{})

	const vectors = "the 0.1 0.2\n( 0.3 0.4\nmovie 0.5 0.6\nfilm 0.7 0.8\nrocks 0.9\n"
	e, report, err := data.ReadEmbedding(strings.NewReader(vectors), "v.txt", v, data.EmbeddingOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("skipped:", report.Err())
	fmt.Println(e.Row(v.ID("The")), e.Row(v.ID("movie")))
	fmt.Printf("%+v\n", e.OOV(slices.Values(tokens)))
	// Output:
	// skipped: v.txt:5:1: expected a word and 2 numbers, found 2 fields
	// [0.1 0.2] [0.5 0.6]
	// {Types:5 Tokens:6 UnknownTypes:2 UnknownTokens:2}
}
