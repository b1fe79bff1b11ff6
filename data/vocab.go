package data

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strings"
)

// Unknown is the word with id 0 of a vocabulary that has a place for unknown words.
const Unknown = "<unk>"

// NoWord is the id of a word that a vocabulary without Unknown does not hold, and of
// a node that has no word.
const NoWord int32 = -1

// VocabularyOrder says how ids are given.
type VocabularyOrder uint8

const (
	ByCount VocabularyOrder = iota // frequent words first, equally frequent ones by their bytes
	ByBytes                        // by the UTF-8 bytes of the words
)

// VocabularyOptions says which words get ids and in which order. The zero value keeps
// all of them, as they are written, by count behind Unknown.
type VocabularyOptions struct {
	MinCount  int  // drop words that occur less often
	Lower     bool // map words to lower case, when building and when looking up
	NoUnknown bool // no place for unknown words: ids start with the first word
	Order     VocabularyOrder
}

// Vocabulary gives dense ids 0..Len-1 to words. It does not change once it is built,
// so goroutines may share it. The zero value holds no words.
type Vocabulary struct {
	words   []string
	ids     map[string]int32
	lower   bool
	unknown bool
}

// BuildVocabulary counts the tokens, "" excepted, and gives ids to the words. The ids
// depend on the counts only, not on the order of the tokens.
func BuildVocabulary(tokens iter.Seq[string], o VocabularyOptions) *Vocabulary {
	v := &Vocabulary{lower: o.Lower, unknown: !o.NoUnknown}
	counts := make(map[string]int)
	for token := range tokens {
		word := v.normal(token)
		if n, ok := counts[word]; ok {
			counts[word] = n + 1
		} else if word != "" {
			// A token is often a piece of a larger text, which must not stay alive with it.
			counts[strings.Clone(word)] = 1
		}
	}
	if v.unknown {
		delete(counts, Unknown)
	}
	words := make([]string, 0, len(counts))
	for word, n := range counts {
		if n >= o.MinCount {
			words = append(words, word)
		}
	}
	slices.SortFunc(words, func(a, b string) int {
		if o.Order == ByCount && counts[a] != counts[b] {
			return cmp.Compare(counts[b], counts[a])
		}
		return cmp.Compare(a, b)
	})
	if v.unknown {
		words = slices.Insert(words, 0, Unknown)
	}
	v.words, v.ids = words, make(map[string]int32, len(words))
	for i, word := range words {
		v.ids[word] = int32(i)
	}
	return v
}

// Tokens iterates over the words of all nodes of the trees of several sets.
func Tokens(sets ...[]*Tree) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, trees := range sets {
			for _, t := range trees {
				for _, word := range t.Word {
					if word != "" && !yield(word) {
						return
					}
				}
			}
		}
	}
}

// Len returns the number of ids.
func (v *Vocabulary) Len() int { return len(v.words) }

// ID returns the id of word. If the vocabulary does not hold it, that is 0, the id of
// Unknown, or NoWord where there is no place for unknown words.
func (v *Vocabulary) ID(word string) int32 {
	if id, ok := v.ids[v.normal(word)]; ok {
		return id
	}
	if v.unknown {
		return 0
	}
	return NoWord
}

// Word returns the word with the given id, "" if there is none.
func (v *Vocabulary) Word(id int32) string {
	if id < 0 || int(id) >= len(v.words) {
		return ""
	}
	return v.words[id]
}

// IDs returns the id of the word of each node [n], NoWord for nodes without a word.
func (v *Vocabulary) IDs(t *Tree) []int32 {
	ids := make([]int32, t.Len())
	for i, word := range t.Word {
		ids[i] = NoWord
		if word != "" {
			ids[i] = v.ID(word)
		}
	}
	return ids
}

// Hash returns the hex SHA-256 of the words in the order of their ids, each in the
// form of the text format (see WriteTo) and followed by a newline. A checkpoint can
// name the vocabulary it was trained with by it.
func (v *Vocabulary) Hash() string {
	sum := sha256.Sum256(v.appendWords(nil))
	return hex.EncodeToString(sum[:])
}

func (v *Vocabulary) normal(word string) string {
	if v.lower {
		return strings.ToLower(word)
	}
	return word
}

// OOV counts the words of a text, and those that are out of the vocabulary.
type OOV struct {
	Types, Tokens               int // different words, and all of them
	UnknownTypes, UnknownTokens int
}

// TokenRate returns the share of unknown tokens, 0 for an empty text.
func (o OOV) TokenRate() float64 {
	if o.Tokens == 0 {
		return 0
	}
	return float64(o.UnknownTokens) / float64(o.Tokens)
}

// OOV counts which of the tokens the vocabulary does not hold. Types are counted after
// lower-casing if the vocabulary does that.
func (v *Vocabulary) OOV(tokens iter.Seq[string]) OOV {
	return v.countUnknown(tokens, func(int32) bool { return true })
}

// countUnknown counts the tokens, and those that the vocabulary does not hold or whose id
// is not known.
func (v *Vocabulary) countUnknown(tokens iter.Seq[string], known func(id int32) bool) OOV {
	var o OOV
	seen := make(map[string]struct{})
	for token := range tokens {
		word := v.normal(token)
		id, held := v.ids[word]
		unknown := !held || v.unknown && id == 0 || !known(id)
		o.Tokens++
		if unknown {
			o.UnknownTokens++
		}
		if _, ok := seen[word]; ok {
			continue
		}
		seen[word] = struct{}{}
		o.Types++
		if unknown {
			o.UnknownTypes++
		}
	}
	return o
}
