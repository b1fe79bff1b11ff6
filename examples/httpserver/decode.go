package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/frondml/frond/data"
)

var (
	// errRequest means that a body is not the JSON that was expected.
	errRequest = errors.New("bad request")
	// errWord means that a tree has a word that the model does not know.
	errWord = errors.New("unknown word")
)

// decodeJSON reads one JSON value, which must be all that r holds.
func decodeJSON(r io.Reader, dst any) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(dst); err != nil {
		return fmt.Errorf("%w: %w", errRequest, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one JSON value", errRequest)
	}
	return nil
}

// parseTree reads a single tree in unlabelled brackets. The depth is limited for
// the sake of time: data and Frond recurse on no stack.
func parseTree(text string, depth int, words *data.Vocabulary) (*data.Tree, error) {
	r := data.NewPTBReader(strings.NewReader(text), "tree", data.PTBOptions{Unlabelled: true, Binary: true, MaxDepth: depth})
	tree, err := r.Next()
	if err == io.EOF {
		return nil, fmt.Errorf("%w: no tree", errRequest)
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.Next(); err != io.EOF {
		return nil, errors.Join(fmt.Errorf("%w: text after the tree", errRequest), err)
	}
	for _, word := range tree.Word {
		if word != "" && words.ID(word) == data.NoWord {
			return nil, fmt.Errorf("%w: %q", errWord, word)
		}
	}
	return tree, nil
}
