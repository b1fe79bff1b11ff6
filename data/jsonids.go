package data

import (
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"strconv"
	"strings"
)

// JSONIDs gives ids 0..Len-1 to the nodes of JSON documents, so that one table of
// vectors serves all of them:
//
//   - an id each for objects, arrays, null, false and true;
//   - numbers share an id with those of their sign and order of magnitude, which is
//     ⌊log10|x|⌋, clamped to -3..12; zero has its own;
//   - strings share an id with those of equal FNV-1a hash modulo the number of buckets;
//   - keys have the ids of a vocabulary.
//
// With the ids as words, a document is what the models for trees of any arity take:
// Start is Tree.ChildStart and Child is Tree.Child. A JSONIDs does not change, so
// goroutines may share it.
type JSONIDs struct {
	keys    *Vocabulary
	buckets int
}

// The order of the ids.
const (
	jsonIDObject = iota
	jsonIDArray
	jsonIDNull
	jsonIDFalse
	jsonIDTrue
	jsonIDZero
	jsonIDPositive                                   // by magnitude
	jsonIDNegative = jsonIDPositive + jsonMagnitudes // by magnitude
	jsonIDStrings  = jsonIDNegative + jsonMagnitudes // by bucket, then keys by their own ids
	jsonMagnitudes = jsonMagnitudeMax - jsonMagnitudeMin + 1

	jsonMagnitudeMin, jsonMagnitudeMax = -3, 12
)

// MaxStringBuckets limits the buckets of a JSONIDs.
const MaxStringBuckets = 1 << 24

// NewJSONIDs returns the ids for a vocabulary of keys, which must have a place for
// unknown ones, and a number of buckets for strings, at least one.
func NewJSONIDs(keys *Vocabulary, stringBuckets int) (*JSONIDs, error) {
	if !keys.unknown {
		return nil, fmt.Errorf("%w: got a vocabulary of keys with NoUnknown, want one with a place for unknown keys", ErrOption)
	}
	if stringBuckets < 1 || stringBuckets > MaxStringBuckets {
		return nil, fmt.Errorf("%w: got %d buckets for strings, want 1..%d", ErrOption, stringBuckets, MaxStringBuckets)
	}
	return &JSONIDs{keys, stringBuckets}, nil
}

// JSONKeys iterates over the keys of documents, from which to build a vocabulary.
func JSONKeys(documents ...*Tree) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range documents {
			for i, tag := range t.Tag {
				if tag == JSONKey && !yield(t.Word[i]) {
					return
				}
			}
		}
	}
}

// Len returns the number of ids.
func (j *JSONIDs) Len() int { return jsonIDStrings + j.buckets + j.keys.Len() }

// IDs returns the id of each node [n] of a document. The error wraps ErrTree, for a
// tree that is not one.
func (j *JSONIDs) IDs(document *Tree) ([]int32, error) {
	if document.Tag == nil {
		return nil, fmt.Errorf("%w of JSON: got a tree without tags", ErrTree)
	}
	ids := make([]int32, document.Len())
	for i, tag := range document.Tag {
		id, err := j.id(tag, document.Word[i])
		if err != nil {
			return nil, fmt.Errorf("%w of JSON: node %d: %v", ErrTree, i, err)
		}
		ids[i] = id
	}
	return ids, nil
}

func (j *JSONIDs) id(tag, word string) (int32, error) {
	switch tag {
	case JSONObject:
		return jsonIDObject, nil
	case JSONArray:
		return jsonIDArray, nil
	case JSONNull:
		return jsonIDNull, nil
	case JSONBool:
		if word == "true" {
			return jsonIDTrue, nil
		}
		return jsonIDFalse, nil
	case JSONNumber:
		return numberID(word)
	case JSONString:
		h := fnv.New32a()
		h.Write([]byte(word)) // never fails
		return jsonIDStrings + int32(h.Sum32()%uint32(j.buckets)), nil
	case JSONKey:
		return jsonIDStrings + int32(j.buckets) + j.keys.ID(word), nil
	}
	return 0, fmt.Errorf("got tag %s, want one of JSON", quote(tag))
}

// numberID finds the order of magnitude in the decimal form, where it is exact. What
// float64 cannot hold is infinite or zero.
func numberID(word string) (int32, error) {
	x, err := strconv.ParseFloat(word, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("got number %s", quote(word))
	}
	if x == 0 {
		return jsonIDZero, nil
	}
	magnitude := jsonMagnitudeMax
	if !math.IsInf(x, 0) {
		_, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
		if magnitude, err = strconv.Atoi(exponent); err != nil {
			return 0, err
		}
	}
	first := int32(jsonIDPositive)
	if x < 0 {
		first = jsonIDNegative
	}
	return first + int32(min(max(magnitude, jsonMagnitudeMin), jsonMagnitudeMax)-jsonMagnitudeMin), nil
}
