package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// holds evaluates the text of a statement under one assignment, by recursion over its
// tokens; it returns what is left of them.
func holds(tokens []string, assignment map[string]bool) (bool, []string) {
	if tokens[0] != "(" {
		return assignment[tokens[0]], tokens[1:]
	}
	if tokens[1] == "not" {
		x, rest := holds(tokens[2:], assignment)
		return !x, rest[1:]
	}
	x, rest := holds(tokens[1:], assignment) // then "(", the operator
	y, last := holds(rest[2:], assignment)
	if rest[1] == "and" {
		return x && y, last[2:]
	}
	return x || y, last[2:]
}

// relationByEnumeration looks at all assignments, one by one.
func relationByEnumeration(a, b string) string {
	var both, onlyA, onlyB, neither bool
	tokensA, tokensB := strings.Fields(a), strings.Fields(b)
	for bits := range 64 {
		assignment := map[string]bool{}
		for k, name := range []string{"a", "b", "c", "d", "e", "f"} {
			assignment[name] = bits>>k&1 == 1
		}
		x, _ := holds(tokensA, assignment)
		y, _ := holds(tokensB, assignment)
		both, onlyA, onlyB, neither = both || x && y, onlyA || x && !y, onlyB || !x && y, neither || !x && !y
	}
	switch {
	case !onlyA && !onlyB:
		return "="
	case !onlyA:
		return "<"
	case !onlyB:
		return ">"
	case !both && !neither:
		return "^"
	case !both:
		return "|"
	case !neither:
		return "v"
	}
	return "#"
}

func TestLogicFiles(t *testing.T) {
	train, test := 0, 0
	for _, part := range []string{"train", "test"} {
		for operators := range 5 {
			path := sharedPath(t, "data", "logic", fmt.Sprint(part, operators))
			pairs, err := ReadLogicFile(path)
			require.NoError(t, err)
			if part == "train" {
				train += len(pairs)
			} else {
				test += len(pairs)
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var out bytes.Buffer
			require.NoError(t, WriteLogic(&out, pairs))
			require.True(t, bytes.Equal(text, out.Bytes()), "writing gives the file back")
			for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
				p := pairs[i]
				require.Equal(t, operators, max(LogicOperators(p.A), LogicOperators(p.B)))
				if i%20 == 0 { // the reader has looked at all of them, this is slow
					f := strings.Split(line, "\t")
					require.Equal(t, relationByEnumeration(f[1], f[2]), p.Relation.String(), line)
				}
			}
		}
	}
	assert.Equal(t, 68425, train)
	assert.Equal(t, 12079, test)
}

func TestLogicRelations(t *testing.T) {
	for relation, pair := range map[Relation][2]string{
		Equivalence: {"( a ( and b ) )", "( b ( and a ) )"}, ForwardEntailment: {"( a ( and b ) )", "a"},
		ReverseEntailment: {"a", "( a ( and b ) )"}, Negation: {"a", "( not a )"},
		Alternation: {"( a ( and b ) )", "( not a )"}, Cover: {"( a ( or b ) )", "( not a )"}, Independence: {"a", "b"},
	} {
		line := relation.String() + "\t" + pair[0] + "\t" + pair[1]
		p, err := NewLogicReader(strings.NewReader(line), "").Next()
		require.NoError(t, err, line)
		assert.Equal(t, relation, p.Relation)
		assert.Equal(t, relationByEnumeration(pair[0], pair[1]), relation.String())
	}
	assert.Equal(t, "Relation(7)", Relation(7).String())
}

func TestLogicReaderRejects(t *testing.T) {
	tests := []struct{ line, want string }{
		{"= a a", `f:1:1: expected a relation and two statements divided by tabs, found "= a a"`},
		{"?\ta\tb", `f:1:1: expected a relation, one of =<>^|v#, found "?"`},
		{"\ta\tb", `f:1:1: expected a relation, one of =<>^|v#, found ""`},
		{"=\ta\tb", "f:1:1: expected '#', the relation of the statements, found '='"},
		{"#\ta\tg", `f:1:5: expected a variable a..f or an operator, found "g"`},
		{"#\ta\t", "f:1:5: expected an expression, found the end of the field"},
		{"#\ta b\tc", `f:1:5: expected the end of the field after the expression, found "b"`},
		{"#\tand\tc", `f:1:3: expected a complete statement, found the operator "and" without operands`},
		{"#\t( a b )\tc", "f:1:7: expected 'and' or 'or' with an operand behind a statement, found something else"},
		{"#\t( and or )\tc", `f:1:9: expected a statement behind "and", found "or"`},
		{"#\t( a ( not b ) )\tc", "f:1:7: expected 'and' or 'or' with an operand behind a statement, found something else"},
		{"#\t( ( and a ) b )\tc", `f:1:5: expected a statement or 'not' to the left, found "and" with an operand`},
		{"#\t( not )\tc", "f:1:3: expected a node with two subtrees, found one with 1"},
		{"#\ta\tb\tc", `f:1:7: expected the end of the field after the expression, found "c"`},
		{"#\t\xFF\tb", "f:1:3: expected UTF-8 text, found byte 0xFF"},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			r := NewLogicReader(strings.NewReader(test.line+"\n#\tc\td\r\n"), "f")
			_, err := r.Next()
			assert.EqualError(t, err, test.want)
			assert.ErrorIs(t, err, ErrSyntax)
			p, err := r.Next()
			require.NoError(t, err, "the next line is read all the same")
			assert.Equal(t, Position{"f", 2, 3}, p.A.Pos)
			assert.Equal(t, Position{"f", 2, 5}, p.B.Pos)
			_, err = r.Next()
			assert.Equal(t, io.EOF, err)
		})
	}
	broken := errors.New("disk on fire")
	r := NewLogicReader(iotest.ErrReader(broken), "f")
	for range 2 {
		_, err := r.Next()
		assert.ErrorIs(t, err, broken)
	}
	_, err := ReadLogicFile(filepath.Join(t.TempDir(), "missing"))
	assert.ErrorIs(t, err, fs.ErrNotExist)

	for _, tree := range []*Tree{{}, build(t, Node{Word: "a"}, Node{Arity: 1}), build(t, Node{Word: "x"})} {
		_, err := LogicTable(tree)
		assert.ErrorIs(t, err, ErrTree)
	}
}

// Depth costs memory, not stack.
func TestLogicReaderMillionNestedBrackets(t *testing.T) {
	const n = 1_000_000
	line := "^\t" + strings.Repeat("( not ", n+1) + "a" + strings.Repeat(" )", n+1) + "\ta"
	p, err := NewLogicReader(strings.NewReader(line), "").Next()
	require.NoError(t, err)
	assert.Equal(t, n+1, LogicOperators(p.A))
}

func TestGenerateLogic(t *testing.T) {
	seen := map[string]bool{}
	relations := map[Relation]int{}
	for operators := range 13 {
		n := 200
		if operators == 0 {
			n = 36
		}
		pairs, err := GenerateLogic(1, n, LogicOptions{Operators: operators, Variables: 3})
		require.NoError(t, err)
		require.Len(t, pairs, n)
		for _, p := range pairs {
			a, b := string(p.A.AppendUnlabelled(nil)), string(p.B.AppendUnlabelled(nil))
			require.NoError(t, p.A.Validate())
			require.Equal(t, relationByEnumeration(a, b), p.Relation.String())
			require.Equal(t, operators, max(LogicOperators(p.A), LogicOperators(p.B)))
			names := map[string]bool{}
			for _, word := range append(p.A.Words(), p.B.Words()...) {
				if len(word) == 1 {
					names[word] = true
				}
			}
			require.LessOrEqual(t, len(names), 3)
			require.False(t, seen[a+"\t"+b])
			seen[a+"\t"+b] = true
			relations[p.Relation]++
		}
	}
	assert.Len(t, relations, LogicClasses, "all relations come up")

	some, err := GenerateLogic(5, 10, LogicOptions{Operators: 6})
	require.NoError(t, err)
	more, err := GenerateLogic(5, 20, LogicOptions{Operators: 6})
	require.NoError(t, err)
	assert.Equal(t, some, more[:10], "a larger number only adds pairs")

	for _, o := range []LogicOptions{{Operators: -1}, {Operators: maxLogicOperators + 1}, {Variables: 7}, {Variables: -1}} {
		_, err := GenerateLogic(1, 1, o)
		assert.ErrorIs(t, err, ErrOption)
	}
	_, err = GenerateLogic(1, 37, LogicOptions{})
	assert.ErrorIs(t, err, ErrOption, "there are 36 pairs of variables")
	_, err = GenerateLogic(1, -1, LogicOptions{})
	assert.ErrorIs(t, err, ErrOption)
}

func FuzzLogic(f *testing.F) {
	for _, seed := range []string{
		"<\t( a ( and b ) )\tb\n", "^\t( not a )\ta", "#\ta\tb\r\n=\tc\tc", "v\t( a ( or ( not b ) ) )\tb", "=\t(\t)", "\t\t", "#\tand\tor", "|\t( a b )\tc",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for p, err := range NewLogicReader(strings.NewReader(text), "").All() {
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			require.NoError(t, p.A.Validate())
			require.NoError(t, p.B.Validate())
			require.Equal(t, relationByEnumeration(string(p.A.AppendUnlabelled(nil)), string(p.B.AppendUnlabelled(nil))), p.Relation.String())
			var out bytes.Buffer
			require.NoError(t, WriteLogic(&out, []LogicPair{p}))
			again, err := NewLogicReader(&out, "").Next()
			require.NoError(t, err)
			require.Equal(t, shape(p.A), shape(again.A))
			require.Equal(t, shape(p.B), shape(again.B))
		}
	})
}
