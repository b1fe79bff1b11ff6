package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// evaluate computes the value of an expression from its tokens alone, without a tree:
// the brackets of the binarised form do not matter.
func evaluate(t *testing.T, expression string) int {
	t.Helper()
	type list struct {
		op   string
		args []int
	}
	stack := []list{{}}
	for token := range strings.FieldsSeq(expression) {
		top := &stack[len(stack)-1]
		switch {
		case token == "(" || token == ")":
		case token[0] == '[':
			stack = append(stack, list{op: token})
		case token == "]":
			stack = stack[:len(stack)-1]
			outer := &stack[len(stack)-1]
			outer.args = append(outer.args, apply(t, top.op, top.args))
		default:
			digit, err := strconv.Atoi(token)
			require.NoError(t, err)
			top.args = append(top.args, digit)
		}
	}
	require.Len(t, stack, 1)
	require.Len(t, stack[0].args, 1)
	return stack[0].args[0]
}

func apply(t *testing.T, op string, args []int) int {
	t.Helper()
	sorted := slices.Sorted(slices.Values(args))
	middle := len(args) / 2
	switch op {
	case "[MIN":
		return sorted[0]
	case "[MAX":
		return sorted[len(sorted)-1]
	case "[MED":
		if len(args)%2 == 1 {
			return sorted[middle]
		}
		return (sorted[middle-1] + sorted[middle]) / 2
	case "[SM":
		sum := 0
		for _, a := range args {
			sum = (sum + a) % 10
		}
		return sum
	case "[FIRST":
		return args[0]
	case "[LAST":
		return args[len(args)-1]
	}
	require.Fail(t, "unknown operator", op)
	return 0
}

func TestListOpsFiles(t *testing.T) {
	want := map[string]struct{ trees, leaves, longest, deepest int }{
		"test.tsv":      {500, 5285, 34, 15},
		"test_d8.tsv":   {10000, 149185, 93, 27},
		"test_d20s.tsv": {10000, 428451, 939, 84},
	}
	for name, want := range want {
		t.Run(name, func(t *testing.T) {
			path := sharedPath(t, "data", "listops", name)
			trees, err := ReadListOpsFile(path)
			require.NoError(t, err)
			require.Len(t, trees, want.trees)
			leaves, longest, deepest := 0, 0, 0
			for _, tree := range trees {
				require.True(t, tree.Binary())
				n := len(tree.Leaves())
				leaves, longest, deepest = leaves+n, max(longest, n), max(deepest, tree.Depth())
				require.Equal(t, evaluate(t, string(tree.AppendUnlabelled(nil))), int(tree.Label[tree.Root()]))
			}
			assert.Equal(t, want.leaves, leaves)
			assert.Equal(t, want.longest, longest)
			assert.Equal(t, want.deepest, deepest)
			var out bytes.Buffer
			require.NoError(t, WriteListOps(&out, trees))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(text, out.Bytes()), "writing the trees gives the file back")
		})
	}
}

func TestListOpsLabels(t *testing.T) {
	tree, err := NewListOpsReader(strings.NewReader("7\t( ( ( [SM 9 ) ( ( ( [MIN 8 ) 9 ) ] ) ) ] )\n"), "").Next()
	require.NoError(t, err)
	assert.Equal(t, "(7 ( ( ( [SM) (9 9)) (8 ( ( ( [MIN) (8 8)) (9 9)) ( ]))) ( ]))", tree.String())
	assert.Equal(t, Position{"", 1, 3}, tree.Pos)
	again, err := NewPTBReader(strings.NewReader(tree.String()), "", PTBOptions{}).Next()
	require.NoError(t, err)
	assert.Equal(t, shape(tree), shape(again))
}

func TestListOpValues(t *testing.T) {
	for expression, want := range map[string]string{
		"[MAX 3 9 1 ]": "9", "[MIN 3 9 1 ]": "1", "[MED 3 9 1 ]": "3", "[MED 3 8 1 9 ]": "5", "[MED 0 1 ]": "0",
		"[SM 9 9 9 ]": "7", "[FIRST 4 9 1 ]": "4", "[LAST 4 9 1 ]": "1",
	} {
		tokens := strings.Fields(expression)
		tree := tokens[0]
		for _, token := range tokens[1:] {
			tree = "( " + tree + " " + token + " )"
		}
		_, err := NewListOpsReader(strings.NewReader(want+"\t"+tree), expression).Next()
		assert.NoError(t, err)
	}
}

func TestListOpsReaderRejects(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"empty line", "", `f:1:1: expected a value, a tab and an expression, found ""`},
		{"no tab", "7 ( ( [MAX 2 ) ] )", `f:1:1: expected a value, a tab and an expression, found "7 ( ( [MAX 2 ) ] )"`},
		{"value", "10\t7", `f:1:1: expected a value 0..9, found "10"`},
		{"wrong value", "3\t( ( [MAX 2 ) ] )", "f:1:1: expected 2, the value of the expression, found 3"},
		{"no expression", "3\t ", "f:1:4: expected an expression, found the end of the field"},
		{"unclosed", "3\t( ( [MAX 2 ", "f:1:14: expected 2 more ')', found the end of the field"},
		{"closed too often", "2\t( ( [MAX 2 ) ] ) )", `f:1:20: expected the end of the field after the expression, found ")"`},
		{"closed first", "2\t)", "f:1:3: expected a token or '(', found ')'"},
		{"two expressions", "2\t2 2", `f:1:5: expected the end of the field after the expression, found "2"`},
		{"empty brackets", "2\t( ( ) ] )", "f:1:7: expected a label, a token or a subtree in brackets, found ')'"},
		{"not binary", "2\t( [MAX 2 ] )", "f:1:3: expected a node with two subtrees, found one with 3"},
		{"not UTF-8", "2\t( ( [MAX \xC3 ) ] )", "f:1:12: expected UTF-8 text, found byte 0xC3"},
		{"unknown token", "2\t( ( [ADD 2 ) ] )", `f:1:7: expected a digit, an operator or ']', found "[ADD"`},
		{"no operator", "2\t( ( 2 2 ) ] )", "f:1:7: expected an operator, alone or with arguments, to the left of an argument or ']'"},
		{"no arguments", "2\t( [MAX ] )", "f:1:10: expected an argument of [MAX, found ']'"},
		{"open argument", "2\t( ( [MAX ( [MIN 2 ) ) ] )", "f:1:12: expected an argument or ']', found a list that is not closed"},
		{"open list", "2\t( [MAX 2 )", "f:1:3: expected a complete list or a digit, found a part of a list"},
		{"only an end", "2\t]", "f:1:3: expected a complete list or a digit, found a part of a list"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := NewListOpsReader(strings.NewReader(test.line+"\r\n4\t4\n"), "f")
			_, err := r.Next()
			assert.EqualError(t, err, test.want)
			assert.ErrorIs(t, err, ErrSyntax)
			tree, err := r.Next()
			require.NoError(t, err, "the next line is read all the same")
			assert.Equal(t, "(4 4)", tree.String())
			assert.Equal(t, Position{"f", 2, 3}, tree.Pos)
		})
	}
}

func TestListOpsReaderLongLine(t *testing.T) {
	text := "1\t" + strings.Repeat(" ", MaxLineBytes) + "1\n2\t2\n"
	r := NewListOpsReader(strings.NewReader(text), "f")
	_, err := r.Next()
	assert.ErrorIs(t, err, ErrLimit)
	assert.EqualError(t, err, "f:1:1: expected at most 16777216 bytes in a line, found more")
	tree, err := r.Next()
	require.NoError(t, err)
	assert.Equal(t, 2, tree.Pos.Line)
}

func TestListOpsReaderInputError(t *testing.T) {
	broken := errors.New("out of paper")
	r := NewListOpsReader(iotest.ErrReader(broken), "f")
	for range 2 {
		_, err := r.Next()
		assert.ErrorIs(t, err, broken)
	}
}

func TestReadListOpsFile(t *testing.T) {
	_, err := ReadListOpsFile(writeFile(t, ""))
	assert.ErrorIs(t, err, ErrEmpty)
	trees, err := ReadListOpsFile(writeFile(t, "1\t1\n2\tx\n3\t4\n"))
	assert.Len(t, trees, 1)
	assert.ErrorContains(t, err, ":2:3: expected a digit")
	assert.ErrorContains(t, err, ":3:1: expected 4")
}

func TestWriteListOpsRejects(t *testing.T) {
	var out bytes.Buffer
	assert.ErrorIs(t, WriteListOps(&out, []*Tree{{}}), ErrTree)
	assert.ErrorIs(t, WriteListOps(&out, []*Tree{build(t, Node{Label: NoLabel, Word: "x"})}), ErrTree)
}

func TestGenerateListOps(t *testing.T) {
	o := ListOpsOptions{MaxDepth: 6, MaxArgs: 4, MinLength: 8, MaxLength: 60}
	trees, err := GenerateListOps(7, 2000, o)
	require.NoError(t, err)
	require.Len(t, trees, 2000)
	seen := map[string]bool{}
	ops := map[string]int{}
	deepest := 0
	for _, tree := range trees {
		require.NoError(t, tree.Validate())
		text := string(tree.AppendUnlabelled(nil))
		require.False(t, seen[text], text)
		seen[text] = true
		require.Equal(t, evaluate(t, text), int(tree.Label[tree.Root()]), text)

		length := len(tree.Leaves())
		require.True(t, 8 <= length && length <= 60, text)
		depth := 0
		for token := range strings.FieldsSeq(text) {
			switch token[0] {
			case '[':
				ops[token]++
				depth++
				deepest = max(deepest, depth)
			case ']':
				depth--
			}
		}
	}
	assert.Equal(t, 6, deepest)
	assert.ElementsMatch(t, []string{"[MAX", "[MIN", "[MED", "[SM"}, slices.Collect(maps.Keys(ops)))

	prefix, err := GenerateListOps(7, 100, o)
	require.NoError(t, err)
	assert.Equal(t, trees[:100], prefix, "a larger n only adds trees")
	other, err := GenerateListOps(8, 100, o)
	require.NoError(t, err)
	assert.NotEqual(t, prefix, other)
}

// The values of an operator node and of every list inside must be right, too.
func TestGeneratedListOpsInnerLabels(t *testing.T) {
	trees, err := GenerateListOps(3, 200, ListOpsOptions{})
	require.NoError(t, err)
	for _, tree := range trees {
		text := string(tree.AppendUnlabelled(nil))
		again, err := NewListOpsReader(strings.NewReader(strconv.Itoa(int(tree.Label[tree.Root()]))+"\t"+text), "").Next()
		require.NoError(t, err)
		require.Equal(t, shape(tree), shape(again))
		lists := 0
		for i, label := range tree.Label {
			if !tree.IsLeaf(int32(i)) && label != NoLabel {
				lists++
			}
		}
		require.Equal(t, strings.Count(text, "["), lists)
	}
}

// The sequence is promised to be the same everywhere and for good: data sets are
// named by their seed. Both values are those of a second implementation, in Python,
// of PCG-DXSM and of the generator.
func TestGenerateListOpsIsFixed(t *testing.T) {
	trees, err := GenerateListOps(1, 1000, ListOpsOptions{})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, WriteListOps(&out, trees))
	first, _, _ := strings.Cut(out.String(), "\n")
	assert.Equal(t, "3\t( ( ( ( [MIN ( ( ( [MAX 5 ) 3 ) ] ) ) 3 ) ( ( ( ( [MIN 4 ) 6 ) 6 ) ] ) ) ] )", first)
	sum := sha256.Sum256(out.Bytes())
	assert.Equal(t, "61fc23bc34f1021a7bb4f8ca0bfc575a060bb70242b49c1b9df9e1c5a04d3173", hex.EncodeToString(sum[:]))
}

func TestGenerateListOpsSplits(t *testing.T) {
	o := ListOpsOptions{MaxDepth: 2, MaxArgs: 3}
	splits, err := GenerateListOpsSplits(11, 600, 200, 100, o)
	require.NoError(t, err)
	assert.Equal(t, []int{600, 200, 100}, []int{len(splits.Train), len(splits.Dev), len(splits.Test)})
	owner := map[string]string{}
	for name, trees := range map[string][]*Tree{"train": splits.Train, "dev": splits.Dev, "test": splits.Test} {
		for _, tree := range trees {
			text := string(tree.AppendUnlabelled(nil))
			assert.Empty(t, owner[text], "%s is in %s as well", text, name)
			owner[text] = name
		}
	}
	assert.Len(t, owner, 900)
}

func TestGenerateListOpsTellsWhichBoundIsWrong(t *testing.T) {
	for want, o := range map[string]ListOpsOptions{
		"data: bad option: got MinLength -1, want at least 0":                                 {MinLength: -1},
		"data: bad option: got MaxLength 3, want at least 4, the length of the shortest list": {MaxLength: 3},
		"data: bad option: got MinLength 50, want at most MaxLength, which is 10":             {MinLength: 50, MaxLength: 10},
		"data: bad option: got MinLength 1001, want at most MaxLength, which is 1000":         {MinLength: 1001},
	} {
		_, err := GenerateListOps(1, 1, o)
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, err, ErrOption)
	}
	trees, err := GenerateListOps(1, 5, ListOpsOptions{MinLength: 7, MaxLength: 7})
	require.NoError(t, err, "one length is a range")
	for _, tree := range trees {
		assert.Len(t, tree.Words(), 7)
	}
}

func TestGenerateListOpsOptions(t *testing.T) {
	for _, o := range []ListOpsOptions{
		{MaxDepth: -1}, {MaxArgs: 1}, {MinLength: -1}, {MinLength: 9, MaxLength: 8}, {MaxLength: 3},
		{Nesting: -0.5}, {Nesting: 1.5}, {Operators: []ListOp{99}},
		{MaxDepth: 1, MaxArgs: 2, Operators: []ListOp{OpMax}}, // 100 expressions exist
	} {
		_, err := GenerateListOps(1, 101, o)
		assert.ErrorIs(t, err, ErrOption, "%+v", o)
	}
	all, err := GenerateListOps(1, 100, ListOpsOptions{MaxDepth: 1, MaxArgs: 2, Operators: []ListOp{OpMax}})
	require.NoError(t, err, "all of them can be found")
	assert.Len(t, all, 100)
	_, err = GenerateListOps(1, -1, ListOpsOptions{})
	assert.ErrorIs(t, err, ErrOption)
	_, err = GenerateListOpsSplits(1, 5, -1, 5, ListOpsOptions{})
	assert.ErrorIs(t, err, ErrOption)
	assert.Equal(t, "ListOp(99)", ListOp(99).String())
}
