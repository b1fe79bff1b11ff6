package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/data"
)

var small = config{examples: 1000, test: 100, samples: 100, show: 2, bound: 300, hidden: 32, epochs: 4, rate: 0.01, seed: 1}

// numberAfter returns the first number in the text behind a mark.
func numberAfter(t *testing.T, text, mark string) (x float64) {
	t.Helper()
	_, rest, ok := strings.Cut(text, mark)
	require.True(t, ok, text)
	_, err := fmt.Sscanf(rest, "%f", &x)
	require.NoError(t, err, text)
	return x
}

func TestItLearnsTheGrammar(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), &out, small))
	text := out.String()
	floor := numberAfter(t, text, "the grammar itself has a perplexity of ")
	before := numberAfter(t, text, "epoch  0: perplexity ")
	after := numberAfter(t, text, fmt.Sprintf("epoch %2d: perplexity ", small.epochs))
	assert.Greater(t, before, 10*floor, text)
	assert.Less(t, after, 1.2*floor, text)
	assert.Greater(t, after, 0.95*floor, "no model is much better than the grammar:\n%s", text)
	assert.Greater(t, numberAfter(t, text, "samples "), 60.0, "valid\n%s", text)

	out.Reset()
	require.NoError(t, run(context.Background(), &out, small))
	assert.Equal(t, text, out.String(), "a seed gives one result")
}

func TestTheGrammarDrawsValidSentences(t *testing.T) {
	g := &grammar{rng: rand.New(rand.NewPCG(1, 1))}
	all, perWord := draw(g, 500)
	assert.Positive(t, perWord)
	texts := map[string]bool{}
	for _, p := range all {
		assert.True(t, p.valid(), p)
		texts[p.String()] = true
	}
	assert.Greater(t, len(texts), 300, "they differ")
}

// The probability that the grammar adds up is that of the choices.
func TestTheGrammarKnowsProbabilities(t *testing.T) {
	g := &grammar{rng: rand.New(rand.NewPCG(2, 1))}
	for range 20000 {
		g.nll = 0
		if g.sentence().String() == "((a DOG) SLEEPS)" {
			// singular, intransitive, sleeps, dog, no adjective three times, a, no preposition, no adverb
			want := 0.5 * 0.4 / 2 / 3 * 0.7 * 0.7 * 0.7 / 2 * 0.75 * 0.7
			assert.InDelta(t, -math.Log(want), g.nll, 1e-9)
			return
		}
	}
	t.Fatal("the sentence was not drawn")
}

func TestMistakesAreNotValid(t *testing.T) {
	word := func(w string) *phrase { return &phrase{word: w} }
	noun := func(w string, left ...*phrase) *phrase { return &phrase{word: w, left: left} }
	verb := func(w string, left *phrase, right ...*phrase) *phrase {
		return &phrase{word: w, left: []*phrase{left}, right: right}
	}
	dog := noun("dog", word("a"))
	assert.True(t, verb("sleeps", dog).valid())
	for name, p := range map[string]*phrase{
		"number":      verb("sleep", dog),
		"determiner":  verb("sleeps", noun("dog", word("some"))),
		"none":        verb("sleeps", noun("dog")),
		"object":      verb("sees", dog),
		"no object":   verb("sleeps", dog, dog),
		"order":       verb("sleeps", noun("dog", word("old"), word("red"), word("a"))),
		"twice":       verb("sleeps", noun("dog", word("red"), word("red"), word("a"))),
		"no verb":     dog,
		"two adverbs": verb("sleeps", dog, word(adverb), word(adverb)),
		"preposition": verb("sleeps", &phrase{word: "dog", left: []*phrase{word("a")}, right: []*phrase{word("near")}}),
		"no subject":  word("sleeps"),
	} {
		assert.False(t, p.valid(), name)
	}
}

func TestTreesArePhrases(t *testing.T) {
	g := &grammar{rng: rand.New(rand.NewPCG(3, 1))}
	all, _ := draw(g, 50)
	v := data.BuildVocabulary(words(all), data.VocabularyOptions{NoUnknown: true})
	for i, tree := range newTrees(all, v) {
		assert.Len(t, tree.Word, all[i].size())
		assert.Equal(t, []*phrase{all[i]}, tree.roots(v))
	}
}

func TestReadSICK(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "data", "sick")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no SICK data: ", err)
	}
	c := small
	c.data = dir
	s, err := load(c)
	require.NoError(t, err)
	assert.Greater(t, len(s.train), 4000)
	for _, p := range s.train {
		if p.String() == "(There IS (no MAN (PLAYING (a GUITAR))))" {
			return
		}
	}
	t.Error("a sentence of the training set is missing")
}
