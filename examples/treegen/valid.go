package main

import "slices"

// valid reports whether the grammar can draw the phrase as a sentence.
func (p *phrase) valid() bool {
	for n := singular; n <= plural; n++ {
		right := p.right
		switch {
		case slices.Contains(intransitive[n], p.word):
		case slices.Contains(transitive[n], p.word):
			if len(right) == 0 || !right[0].validNoun() {
				return false
			}
			right = right[1:]
		default:
			continue
		}
		return len(p.left) == 1 && p.left[0].validNounOf(n) &&
			(len(right) == 0 || len(right) == 1 && right[0].is(adverb))
	}
	return false
}

// is reports whether the phrase is the word alone.
func (p *phrase) is(word string) bool {
	return p.word == word && len(p.left) == 0 && len(p.right) == 0
}

func (p *phrase) validNoun() bool { return p.validNounOf(singular) || p.validNounOf(plural) }

func (p *phrase) validNounOf(n number) bool {
	if !slices.Contains(nouns[n], p.word) || len(p.left) == 0 {
		return false
	}
	last := len(p.left) - 1
	if d := p.left[last]; !slices.Contains(determiners[n], d.word) || !d.is(d.word) {
		return false
	}
	before := len(adjectives)
	for _, a := range p.left[:last] {
		i := slices.Index(adjectives, a.word)
		if i < 0 || i >= before || !a.is(a.word) {
			return false
		}
		before = i
	}
	return len(p.right) == 0 || len(p.right) == 1 && p.right[0].validPreposition()
}

func (p *phrase) validPreposition() bool {
	return slices.Contains(prepositions, p.word) && len(p.left) == 0 && len(p.right) == 1 && p.right[0].validNoun()
}
