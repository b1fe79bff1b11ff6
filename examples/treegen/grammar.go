package main

import (
	"math"
	"math/rand/v2"
)

// The grammar of the synthetic trees. A verb is the root; subject and objects are nouns,
// which agree with their verb and determiner in number and whose adjectives keep their
// order. What a model must learn besides words is which edges there are, and when a
// sequence of dependents ends.

// number is that of nouns and verbs.
type number int

const (
	singular number = iota
	plural
)

var (
	nouns        = [2][]string{{"dog", "child", "bird"}, {"dogs", "children", "birds"}}
	intransitive = [2][]string{{"sleeps", "runs"}, {"sleep", "run"}}
	transitive   = [2][]string{{"sees", "likes"}, {"see", "like"}}
	determiners  = [2][]string{{"a", "every"}, {"some", "many"}}
	adjectives   = []string{"big", "old", "red"} // in this order
	prepositions = []string{"near", "with"}
)

// The probabilities of the choices.
const (
	chancePlural      = 0.5
	chanceTransitive  = 0.6
	chanceAdjective   = 0.3 // of each adjective
	chancePreposition = 0.25
	chanceAdverb      = 0.3
)

const adverb = "today"

// phrase is a word with its dependents, nearest first on either side.
type phrase struct {
	word        string
	left, right []*phrase
}

// grammar draws phrases and adds up how improbable they are.
type grammar struct {
	rng *rand.Rand
	nll float64 // -log of the probability of all that was drawn
}

func (g *grammar) chance(p float64) bool {
	yes := g.rng.Float64() < p
	if yes {
		g.nll -= math.Log(p)
	} else {
		g.nll -= math.Log(1 - p)
	}
	return yes
}

func (g *grammar) one(words []string) string {
	g.nll += math.Log(float64(len(words)))
	return words[g.rng.IntN(len(words))]
}

func (g *grammar) sentence() *phrase {
	n := singular
	if g.chance(chancePlural) {
		n = plural
	}
	verb := &phrase{}
	if g.chance(chanceTransitive) {
		verb.word = g.one(transitive[n])
		verb.right = append(verb.right, g.noun())
	} else {
		verb.word = g.one(intransitive[n])
	}
	verb.left = append(verb.left, g.nounOf(n))
	if g.chance(chanceAdverb) {
		verb.right = append(verb.right, &phrase{word: adverb})
	}
	return verb
}

func (g *grammar) noun() *phrase {
	if g.chance(chancePlural) {
		return g.nounOf(plural)
	}
	return g.nounOf(singular)
}

func (g *grammar) nounOf(n number) *phrase {
	p := &phrase{word: g.one(nouns[n])}
	for i := len(adjectives) - 1; i >= 0; i-- { // the last is nearest to the noun
		if g.chance(chanceAdjective) {
			p.left = append(p.left, &phrase{word: adjectives[i]})
		}
	}
	p.left = append(p.left, &phrase{word: g.one(determiners[n])})
	if g.chance(chancePreposition) {
		p.right = append(p.right, &phrase{word: g.one(prepositions), right: []*phrase{g.noun()}})
	}
	return p
}
