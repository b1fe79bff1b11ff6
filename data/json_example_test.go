package data_test

import (
	"fmt"
	"strings"

	"github.com/frondml/frond/data"
)

func ExampleJSONReader() {
	const log = `{"user": "ada", "items": [1, 2.5]}
{"user": "bob", "items": [}
{"user": null}
`
	r := data.NewJSONReader(strings.NewReader(log), "log.jsonl", data.JSONOptions{Lines: true})
	for document, err := range r.All() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(document)
	}
	// Output:
	// (object (key user (string ada)) (key items (array (number 1) (number 2.5))))
	// log.jsonl:2:27: expected a value or ']', found '}'
	// (object (key user (null)))
}

// A table with a row for each id serves all nodes of all documents.
func ExampleJSONIDs() {
	document, err := data.NewJSONReader(strings.NewReader(`{"a": [7, 8, 900, -7, "x", true]}`), "", data.JSONOptions{}).Next()
	if err != nil {
		fmt.Println(err)
		return
	}
	keys := data.BuildVocabulary(data.JSONKeys(document), data.VocabularyOptions{})
	rows, err := data.NewJSONIDs(keys, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	ids, err := rows.IDs(document)
	if err != nil {
		fmt.Println(err)
		return
	}
	type tree struct{ Word, Start, Child []int32 } // as models take it
	fmt.Println(rows.Len(), tree{ids, document.ChildStart, document.Child})
	// Output: 140 {[9 9 11 25 133 4 1 139 0] [0 0 0 0 0 0 0 6 7 8] [0 1 2 3 4 5 6 7]}
}
