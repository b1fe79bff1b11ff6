package main

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode"

	"github.com/frondml/frond/data"
)

// example is a function whose name is hidden, as both models take it.
type example struct {
	Tree  struct{ Word, Start, Child []int32 } // Word holds terms
	Place []int32                              // of each node among its siblings, places-1 at most
	Count []float32                            // [terms] ln(1+n) for n nodes with the term
	Class int32                                // the word that the name begins with

	name string // where the function is
	part int
}

const places = 8

func encode(t *data.GoTree, terms *data.Vocabulary, class int32) example {
	e := example{Class: class, name: t.Pos.String() + " " + t.Name, Place: make([]int32, t.Len()), Count: make([]float32, terms.Len())}
	e.Tree.Word, e.Tree.Start, e.Tree.Child = t.IDs(terms), t.ChildStart, t.Child
	for i := range int32(t.Len()) {
		for place, child := range t.Children(i) {
			e.Place[child] = int32(min(place, places-1))
		}
	}
	for _, w := range e.Tree.Word {
		e.Count[w]++
	}
	for i, n := range e.Count {
		e.Count[i] = float32(math.Log1p(float64(n)))
	}
	return e
}

// key is equal for functions whose trees are.
func (e *example) key() string {
	var b []byte
	for i, w := range e.Tree.Word {
		b = binary.AppendUvarint(b, uint64(w))
		b = binary.AppendUvarint(b, uint64(e.Tree.Start[i+1]-e.Tree.Start[i]))
	}
	return string(b)
}

// firstWord is "read" for ReadAll and readAll, "http" for HTTPError, "utf" for UTF8.
func firstWord(name string) string {
	letters := []rune(name)
	n := 1
	for n < len(letters) && unicode.IsLower(letters[n]) {
		n++
	}
	if n == 1 { // capitals, up to the one that begins the next word
		for n < len(letters) && unicode.IsUpper(letters[n]) && (n+1 == len(letters) || !unicode.IsLower(letters[n+1])) {
			n++
		}
	}
	return strings.ToLower(string(letters[:n]))
}
