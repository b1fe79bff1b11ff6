package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var small = config{examples: 2500, test: 100, digits: 3, embed: 16, hidden: 48, epochs: 3, rate: 0.01, seed: 1}

func TestItLearnsToWrite(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), &out, small))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 1+small.epochs+5, out.String())
	var words, sequences float64
	_, rest, _ := strings.Cut(lines[small.epochs], "words")
	_, err := fmt.Sscanf(rest, "%f %%, whole sequences %f %%", &words, &sequences)
	require.NoError(t, err, out.String())
	assert.Greater(t, words, 95.0, out.String())
	assert.Greater(t, sequences, 75.0, out.String())

	again := out.String()
	out.Reset()
	require.NoError(t, run(context.Background(), &out, small))
	assert.Equal(t, again, out.String(), "a seed gives one result")
}

// value evaluates node i exactly enough to tell different expressions apart.
func (t *tree) value(i int32) float64 {
	if t.Left[i] < 0 {
		return float64(t.Word[i])
	}
	return apply(treeWords[t.Word[i]], t.value(t.Left[i]), t.value(t.Right[i]))
}

func apply(operator string, x, y float64) float64 {
	switch operator {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	return x / (y + 0.1) // a division that is always possible
}

// reader evaluates text, from the left, * and / first.
type reader struct{ text string }

func (r *reader) next() string {
	if r.text == "" {
		return ""
	}
	c := r.text[:1]
	r.text = r.text[1:]
	return c
}

func (r *reader) operand() float64 {
	c := r.next()
	if c == "(" {
		x := r.sum()
		r.next()
		return x
	}
	x, err := strconv.Atoi(c)
	if err != nil {
		panic(err)
	}
	return float64(x)
}

func (r *reader) chain(operators string, operand func() float64) float64 {
	x := operand()
	for r.text != "" && strings.Contains(operators, r.text[:1]) {
		operator := r.next()
		x = apply(operator, x, operand())
	}
	return x
}

func (r *reader) sum() float64 {
	return r.chain("+-", func() float64 { return r.chain("*/", r.operand) })
}

// What is written has the value of the tree, and no brackets that could be left out.
func TestExpressionsAreWrittenRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for range 300 {
		e := draw(rng, 1+rng.IntN(8))
		assert.Zero(t, e.Target[len(e.Target)-1])
		written := text(e.Target)
		want := e.Tree.value(e.Tree.root())
		r := reader{written}
		assert.InDelta(t, want, r.sum(), 1e-9*(1+math.Abs(want)), "%s for %s", written, e.Tree.prefix(e.Tree.root()))
		assert.Empty(t, r.text)
	}
}

func TestBracketsAreWrittenWhereNeeded(t *testing.T) {
	leaf := func(d int32) tree { return tree{[]int32{d}, []int32{-1}, []int32{-1}} }
	join := func(operator int32, l, r tree) tree {
		var t tree
		t.Word, t.Left, t.Right = append(t.Word, l.Word...), append(t.Left, l.Left...), append(t.Right, l.Right...)
		n := int32(len(t.Word))
		for i, word := range r.Word {
			left, right := r.Left[i], r.Right[i]
			if left >= 0 {
				left, right = left+n, right+n
			}
			t.add(word, left, right)
		}
		t.add(int32(len(digits))+operator, n-1, t.root())
		return t
	}
	const plus, minus, times, over = 0, 1, 2, 3
	one, two, three := leaf(1), leaf(2), leaf(3)
	for want, tree := range map[string]tree{
		"1+2+3":         join(plus, join(plus, one, two), three),
		"1+(2+3)":       join(plus, one, join(plus, two, three)),
		"1-(2-3)":       join(minus, one, join(minus, two, three)),
		"(1+2)*3":       join(times, join(plus, one, two), three),
		"1*2+3":         join(plus, join(times, one, two), three),
		"1+2*3":         join(plus, one, join(times, two, three)),
		"1/(2/3)":       join(over, one, join(over, two, three)),
		"1*2/3":         join(over, join(times, one, two), three),
		"(1+2)*(3-1)/2": join(over, join(times, join(plus, one, two), join(minus, three, one)), two),
	} {
		assert.Equal(t, want, text(tree.write(tree.root())))
	}
}

func TestSplit(t *testing.T) {
	trained, tested := split(1, 4, 200, 50)
	assert.Len(t, trained, 200)
	assert.Len(t, tested, 50)
	seen := map[string]bool{}
	for _, e := range append(trained, tested...) {
		seen[e.Tree.prefix(e.Tree.root())] = true
	}
	assert.Len(t, seen, 250, "no expression occurs twice")
	few, none := split(1, 1, 50, 5)
	assert.Len(t, append(few, none...), 10, "there are ten expressions of a digit")
}
