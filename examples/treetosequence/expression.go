package main

import (
	"math/rand/v2"
	"strings"
)

// operators have the precedence of their places: + and - bind less than * and /.
var operators = []string{"+", "-", "*", "/"}

// treeWords are the words of nodes, sequenceWords what is written, the end first.
var (
	digits        = strings.Fields("0 1 2 3 4 5 6 7 8 9")
	treeWords     = append(append([]string{}, digits...), operators...)
	sequenceWords = append([]string{"", "(", ")"}, treeWords...)
)

// Places of words in sequenceWords.
const (
	open = 1 + iota
	shut
	firstTreeWord
)

// expression is a tree and how it is written: see models.Translation and models.Query.
type expression struct {
	Tree   tree
	Target []int32
	Limit  int32
}

type tree struct{ Word, Left, Right []int32 }

// draw makes an expression of so many digits.
func draw(rng *rand.Rand, digits int) expression {
	var e expression
	e.Tree.grow(rng, digits)
	e.Target = append(e.Tree.write(e.Tree.root()), 0)
	e.Limit = int32(2*len(e.Target) + 10) // so that what is too long is seen to be
	return e
}

// grow adds the nodes of a random expression.
func (t *tree) grow(rng *rand.Rand, leaves int) {
	if leaves == 1 {
		t.add(rng.Int32N(int32(len(digits))), -1, -1)
		return
	}
	onLeft := 1 + rng.IntN(leaves-1)
	t.grow(rng, onLeft)
	left := t.root()
	t.grow(rng, leaves-onLeft)
	t.add(int32(len(digits)+rng.IntN(len(operators))), left, t.root())
}

func (t *tree) add(word, left, right int32) {
	t.Word, t.Left, t.Right = append(t.Word, word), append(t.Left, left), append(t.Right, right)
}

func (t *tree) root() int32 { return int32(len(t.Word)) - 1 }

// write writes an operator between its operands, which have brackets where they would be
// read otherwise without: everything is read from the left, * and / before + and -.
func (t *tree) write(i int32) []int32 {
	word, l, r := t.Word[i], t.Left[i], t.Right[i]
	if l < 0 {
		return []int32{firstTreeWord + word}
	}
	left, right := t.write(l), t.write(r)
	if binds(t.Word[l]) < binds(word) {
		left = bracket(left)
	}
	if binds(t.Word[r]) <= binds(word) {
		right = bracket(right)
	}
	return append(append(left, firstTreeWord+word), right...)
}

// binds is how strongly a word holds its operands together; nothing divides a digit.
func binds(word int32) int {
	if int(word) < len(digits) {
		return 2
	}
	return (int(word) - len(digits)) / 2
}

func bracket(words []int32) []int32 { return append(append([]int32{open}, words...), shut) }

// prefix writes the tree with every operator before its operands.
func (t *tree) prefix(i int32) string {
	if t.Left[i] < 0 {
		return treeWords[t.Word[i]]
	}
	return "(" + treeWords[t.Word[i]] + " " + t.prefix(t.Left[i]) + " " + t.prefix(t.Right[i]) + ")"
}

// text writes a sequence up to its end.
func text(sequence []int32) string {
	var b strings.Builder
	for _, word := range sequence {
		b.WriteString(sequenceWords[word])
	}
	return b.String()
}

// split draws different expressions of 1 to most digits, for training and for a test.
func split(seed uint64, most, train, test int) (trained, tested []expression) {
	rng := rand.New(rand.NewPCG(seed, 1))
	seen := map[string]bool{}
	var all []expression
	const tries = 100 // for each: there are few short expressions
	for i := 0; i < tries*(train+test) && len(all) < train+test; i++ {
		e := draw(rng, 1+rng.IntN(most))
		if key := e.Tree.prefix(e.Tree.root()); !seen[key] {
			seen[key] = true
			all = append(all, e)
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	test = min(test, len(all))
	return all[test:], all[:test]
}
