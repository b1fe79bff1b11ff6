package data

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compute evaluates the text of an expression by recursion over its tokens; it returns
// what is left of them.
func compute(tokens []string) (int, []string) {
	if tokens[0] != "(" {
		n, _ := strconv.Atoi(tokens[0])
		return n, tokens[1:]
	}
	x, rest := compute(tokens[3:]) // behind "(", the operator, "("
	y, rest := compute(rest)
	if tokens[1] == "+" {
		return x + y, rest[2:]
	}
	return x - y, rest[2:]
}

func TestArithmeticFiles(t *testing.T) {
	for task, name := range map[ArithmeticTask]string{ArithmeticValue: "simple5_10k.tsv", ArithmeticSign: "sign5_10k.tsv"} {
		path := sharedPath(t, "data", "arith", name)
		trees, err := ReadArithmeticFile(path, task)
		require.NoError(t, err)
		require.Len(t, trees, 10000)
		classes := map[int32]int{}
		for _, tree := range trees {
			require.NoError(t, tree.Validate())
			value, _ := compute(strings.Fields(string(tree.AppendUnlabelled(nil))))
			if task == ArithmeticSign {
				require.Equal(t, int32(cmp.Compare(value, 0)+1), tree.Label[tree.Root()])
			} else {
				require.Equal(t, int32(value+10), tree.Label[tree.Root()])
			}
			classes[tree.Label[tree.Root()]]++
		}
		assert.Len(t, classes, map[ArithmeticTask]int{ArithmeticValue: 21, ArithmeticSign: 3}[task])
		assert.Equal(t, len(classes), task.Classes())

		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, WriteArithmetic(&out, trees, task))
		assert.True(t, bytes.Equal(text, out.Bytes()), "writing gives the file back")
	}
}

func TestArithmeticLabels(t *testing.T) {
	const line = "-10\t( - ( ( - ( -7 7 ) ) -4 ) )"
	tree, err := NewArithmeticReader(strings.NewReader(line), "", ArithmeticValue).Next()
	require.NoError(t, err)
	assert.Equal(t, "(0 ( -) ( ( ( -) ( (3 -7) (17 7))) (6 -4)))", tree.String(), "-14 has no class")
	tree, err = NewArithmeticReader(strings.NewReader("-"+line[3:]), "", ArithmeticSign).Next()
	require.NoError(t, err)
	assert.Equal(t, "(0 ( -) ( (0 ( -) ( (0 -7) (2 7))) (0 -4)))", tree.String())
}

func TestArithmeticRejects(t *testing.T) {
	tests := []struct {
		task       ArithmeticTask
		line, want string
	}{
		{ArithmeticValue, "3 3", `f:1:1: expected a value, a tab and an expression, found "3 3"`},
		{ArithmeticValue, "11\t11", `f:1:1: expected a value -10..10, found "11"`},
		{ArithmeticValue, "03\t3", `f:1:1: expected a value -10..10, found "03"`},
		{ArithmeticSign, "3\t3", `f:1:1: expected a sign -..+, found "3"`},
		{ArithmeticValue, "3\t4", "f:1:1: expected 4, the value of the expression, found 3"},
		{ArithmeticSign, "0\t-4", "f:1:1: expected -, the sign of the expression, found 0"},
		{ArithmeticValue, "3\t( + ( 10 10 ) )", "f:1:3: expected an expression with a value -10..10, found one with 20"},
		{ArithmeticValue, "3\t( * ( 1 3 ) )", `f:1:5: expected a number, '+' or '-', found "*"`},
		{ArithmeticValue, "3\t99999999999", `f:1:3: expected a number, '+' or '-', found "99999999999"`},
		{ArithmeticValue, "3\t( 1 2 )", "f:1:3: expected a number or an operator with two operands, found a part of one"},
		{ArithmeticValue, "3\t+", "f:1:3: expected a number or an operator with two operands, found a part of one"},
		{ArithmeticValue, "3\t( + 3 )", "f:1:7: expected two operands in brackets behind an operator, found something else"},
		{ArithmeticValue, "3\t( 3 + )", "f:1:7: expected a second operand behind a number, found something else"},
		{ArithmeticValue, "3\t( ( 1 2 ) + )", "f:1:5: expected an operator or a number to the left, found two operands"},
		{ArithmeticValue, "3\t( + ( 1 2 3 ) )", "f:1:7: expected a node with two subtrees, found one with 3"},
		{ArithmeticValue, "3\t( + ( 1 2 )", "f:1:14: expected 1 more ')', found the end of the field"},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			next := "+\t( + ( 1 2 ) )\r\n"
			if test.task == ArithmeticValue {
				next = "3" + next[1:]
			}
			r := NewArithmeticReader(strings.NewReader(test.line+"\n"+next), "f", test.task)
			_, err := r.Next()
			assert.EqualError(t, err, test.want)
			assert.ErrorIs(t, err, ErrSyntax)
			tree, err := r.Next()
			require.NoError(t, err, "the next line is read all the same")
			assert.Equal(t, Position{"f", 2, 3}, tree.Pos)
			_, err = r.Next()
			assert.Equal(t, io.EOF, err)
		})
	}
	broken := errors.New("disk on fire")
	r := NewArithmeticReader(iotest.ErrReader(broken), "f", ArithmeticSign)
	for range 2 {
		_, err := r.Next()
		assert.ErrorIs(t, err, broken)
	}
	_, err := ReadArithmeticFile(filepath.Join(t.TempDir(), "missing"), ArithmeticSign)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = NewArithmeticReader(strings.NewReader("3\t3"), "", 2).Next()
	assert.ErrorIs(t, err, ErrOption)
	assert.ErrorIs(t, WriteArithmetic(io.Discard, nil, 2), ErrOption)
	assert.ErrorIs(t, WriteArithmetic(io.Discard, []*Tree{build(t, Node{Label: 3})}, ArithmeticSign), ErrTree)
	assert.ErrorIs(t, WriteArithmetic(io.Discard, []*Tree{{}}, ArithmeticSign), ErrTree)
	assert.Equal(t, "ArithmeticTask(7)", ArithmeticTask(7).String())
}

// The largest numbers that a line can add up must not overflow.
func TestArithmeticLongLine(t *testing.T) {
	const n = 100_000
	line := "-\t" + strings.Repeat("( + ( -2147483648 ", n) + "0" + strings.Repeat(" ) )", n)
	tree, err := NewArithmeticReader(strings.NewReader(line), "", ArithmeticSign).Next()
	require.NoError(t, err)
	assert.Equal(t, 2*n, tree.Depth())
}

func FuzzArithmetic(f *testing.F) {
	for _, seed := range []string{
		"-10\t( - ( ( - ( -7 7 ) ) -4 ) )\n", "3\t3\r\n+\t3", "+\t( + ( 1 2 ) )", "0\t-0", "0\t+0", "1\t(", "\t", "3\t( 1 2 )", "3\t+", "-\t( - -1 )",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, sign bool) {
		task := ArithmeticValue
		if sign {
			task = ArithmeticSign
		}
		for tree, err := range NewArithmeticReader(strings.NewReader(text), "", task).All() {
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			require.NoError(t, tree.Validate())
			value, _ := compute(strings.Fields(string(tree.AppendUnlabelled(nil))))
			require.Equal(t, task.class(int64(value)), tree.Label[tree.Root()])
			var out bytes.Buffer
			require.NoError(t, WriteArithmetic(&out, []*Tree{tree}, task))
			again, err := NewArithmeticReader(&out, "", task).Next()
			require.NoError(t, err)
			require.Equal(t, shape(tree), shape(again))
		}
	})
}
