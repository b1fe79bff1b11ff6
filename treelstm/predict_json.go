package main

import (
	"encoding/json"
	"io"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/train"
)

// nodeRecord is a line of predict -json.
type nodeRecord struct {
	Tree          int       `json:"tree"` // counted from 1
	Node          int32     `json:"node"` // counted from 0, children before their parents
	Class         int32     `json:"class"`
	Label         *int32    `json:"label"` // null when the tree does not tell
	Probabilities []float32 `json:"probabilities"`
	Phrase        string    `json:"phrase"`
}

// writeNodes prints a line of JSON per node of a tree, in the order of the nodes.
func writeNodes(w io.Writer, number int, t *data.Tree, o train.Outcome) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	first := firstNodes(t)
	for i, logits := range rows(o.Tables["logits"]) {
		r := nodeRecord{Tree: number, Node: i, Class: predicted(logits), Probabilities: rounded(probabilities(logits)), Phrase: phrase(t, first[i], i, nil)}
		if t.Label[i] != data.NoLabel {
			r.Label = &t.Label[i]
		}
		if err := e.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// rounded leaves out digits that a sum of float32 does not have.
func rounded(p []float64) []float32 {
	r := make([]float32, len(p))
	for i, x := range p {
		r[i] = float32(x)
	}
	return r
}
