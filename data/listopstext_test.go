package data

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What GenerateListOps makes is read back from what a person would write.
func TestListOpsTextGivesTheGeneratedTrees(t *testing.T) {
	trees, err := GenerateListOps(5, 300, ListOpsOptions{Nesting: 0.4, MaxLength: 80, Operators: []ListOp{OpMax, OpMin, OpMed, OpSumMod, OpFirst, OpLast}})
	require.NoError(t, err)
	var blanks, tight, binary strings.Builder
	for _, tree := range trees {
		text := strings.Join(tree.Words(), " ")
		blanks.WriteString("  " + text + " \r\n\n")
		tight.WriteString(strings.NewReplacer(" [", "[", " ]", "]", "] ", "]").Replace(text) + "\n")
		binary.Write(append(tree.AppendUnlabelled(nil), '\n'))
	}
	for _, text := range []string{blanks.String(), tight.String(), binary.String()} {
		read, report, err := Collect(NewListOpsTextReader(strings.NewReader(text), "").All())
		require.NoError(t, err)
		require.NoError(t, report.Err())
		require.Len(t, read, len(trees))
		for i, tree := range read {
			require.NoError(t, tree.Validate())
			require.Equal(t, shape(trees[i]), shape(tree))
		}
	}
}

func TestListOpsText(t *testing.T) {
	for in, want := range map[string]string{
		"[MAX 2 9 ]":              "(9 ( ( ( [MAX) (2 2)) (9 9)) ( ]))",
		"[MAX 2 9]":               "(9 ( ( ( [MAX) (2 2)) (9 9)) ( ]))",
		"( ( ( [MAX 2 ) 9 ) ] )":  "(9 ( ( ( [MAX) (2 2)) (9 9)) ( ]))",
		"7":                       "(7 7)",
		"[MED[FIRST 3]5]\t \r\n ": "(4 ( ( ( [MED) (3 ( ( [FIRST) (3 3)) ( ]))) (5 5)) ( ]))",
	} {
		r := NewListOpsTextReader(strings.NewReader("\n \t\r\n "+in), "f")
		tree, err := r.Next()
		require.NoError(t, err, in)
		assert.Equal(t, want, tree.String(), in)
		assert.Equal(t, Position{"f", 3, 2}, tree.Pos, in)
		_, err = r.Next()
		assert.Equal(t, io.EOF, err)
	}
}

func TestListOpsTextRejects(t *testing.T) {
	for line, want := range map[string]string{
		"[MAX 2 9":                 "f:1:9: expected 1 more ']', found the end of the line",
		"[MAX 2 [MIN 3":            "f:1:14: expected 2 more ']', found the end of the line",
		"1 2":                      `f:1:3: expected the end of the line after the expression, found "2"`,
		"[MAX 1 ] ]":               `f:1:10: expected the end of the line after the expression, found "]"`,
		"]":                        "f:1:1: expected an operator or a digit, found ']'",
		"[MAX 2 ten ]":             `f:1:8: expected a digit, an operator or ']', found "ten"`,
		"[MAX 2 10 ]":              `f:1:8: expected a digit, an operator or ']', found "10"`,
		"[ADD 2 1 ]":               `f:1:1: expected a digit, an operator or ']', found "[ADD"`,
		"[ 2 1 ]":                  `f:1:1: expected a digit, an operator or ']', found "["`,
		"[SM 1 [MAX ] ]":           "f:1:12: expected an argument of [MAX, found ']'",
		"[MAX 2 \xC3 ]":            "f:1:8: expected UTF-8 text, found byte 0xC3",
		"[MAX 2 ( 9 ) ]":           `f:1:8: expected a digit, an operator or ']', found "("`,
		"( ( ( [MAX 2 ) 9 ) ]":     "f:1:21: expected 1 more ')', found the end of the field",
		"(3 (2 It) (4 works))":     "f:1:1: expected a node with two subtrees, found one with 3",
		"( ( ( [MAX 2 ) ten ) ] )": `f:1:16: expected a digit, an operator or ']', found "ten"`,
	} {
		r := NewListOpsTextReader(strings.NewReader(line+"\n[FIRST 4 5]\n"), "f")
		_, err := r.Next()
		assert.EqualError(t, err, want, line)
		assert.ErrorIs(t, err, ErrSyntax)
		tree, err := r.Next()
		require.NoError(t, err, "the next line is read all the same")
		assert.EqualValues(t, 4, tree.Label[tree.Root()])
		assert.Equal(t, Position{"f", 2, 1}, tree.Pos)
	}
}

func TestListOpsTextInputError(t *testing.T) {
	broken := errors.New("out of paper")
	r := NewListOpsTextReader(iotest.ErrReader(broken), "f")
	for range 2 {
		_, err := r.Next()
		assert.ErrorIs(t, err, broken)
	}
}

// Depth costs memory in proportion, and no stack.
func TestListOpsTextNestsDeeply(t *testing.T) {
	const depth = 200_000
	text := strings.Repeat("[SM 1", depth) + strings.Repeat("]", depth)
	tree, err := NewListOpsTextReader(strings.NewReader(text), "").Next()
	require.NoError(t, err)
	assert.EqualValues(t, depth%10, tree.Label[tree.Root()])
}
