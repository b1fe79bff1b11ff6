package data

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readAll returns the bracket form of the trees of text, and the errors.
func readAll(text string, o PTBOptions) (trees, errs []string) {
	for tree, err := range NewPTBReader(strings.NewReader(text), "f", o).All() {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			trees = append(trees, tree.String())
		}
	}
	return trees, errs
}

func TestPTBReaderAccepts(t *testing.T) {
	tests := []struct {
		name, text string
		o          PTBOptions
		want       []string
	}{
		{"nothing", "", PTBOptions{}, nil},
		{"blanks only", " \t\r\n\v\f\n", PTBOptions{}, nil},
		{"a leaf", "(2 good)", PTBOptions{}, []string{"(2 good)"}},
		{"no final newline", "(3 (2 a) (2 b))", SSTOptions(), []string{"(3 (2 a) (2 b))"}},
		{"two trees in a line", "(2 a)(2 b) (2 c)", PTBOptions{}, []string{"(2 a)", "(2 b)", "(2 c)"}},
		{"a tree over lines", "(S\n\t(NP x)\r\n\n  (VP\ny))\n", PTBOptions{}, []string{"(S (NP x) (VP y))"}},
		{"lines without indentation", "(S\n(NP x)\n(VP y)\n)\n(S z)", PTBOptions{}, []string{"(S (NP x) (VP y))", "(S z)"}},
		{"empty labels", "( (S (NP x)) ( y))((z))", PTBOptions{}, []string{"( (S (NP x)) ( y))", "( (z))"}},
		{"unary chain", "(A (B (C d)))", PTBOptions{}, []string{"(A (B (C d)))"}},
		{"any arity", "(A (B b) (C c) (D d) (E e))", PTBOptions{}, []string{"(A (B b) (C c) (D d) (E e))"}},
		{"label only", "(A (B) (C))", PTBOptions{}, []string{"(A (B) (C))"}},
		{"blank before a closing bracket", "(A (B b ) )", PTBOptions{}, []string{"(A (B b))"}},
		{"byte order mark and CRLF", "\uFEFF(2 a)\r\n(2 b)\r\n", PTBOptions{}, []string{"(2 a)", "(2 b)"}},
		{"no-break space in a token", "(2 8\u00A01\\/2)", PTBOptions{}, []string{"(2 8\u00A01\\/2)"}},
		{"other blanks of Unicode", "(2 a\u2003\u0085b\u2028c)", PTBOptions{}, []string{"(2 a\u2003\u0085b\u2028c)"}},
		{"escapes are kept", `(2 -LRB-) (2 1\/2) (2 \*)`, PTBOptions{}, []string{"(2 -LRB-)", `(2 1\/2)`, `(2 \*)`}},
		{"escapes are undone", `(2 -LRB-) (-LRB- a-RRB-b) (2 \\/\*\x) (X -LSB--LCB-)`, PTBOptions{Unescape: true},
			[]string{"(2 -LRB-)", "(-LRB- a-RRB-b)", `(2 /*\x)`, "(X [{)"}},
		{"Latin-1", "(n\xE9 ca\xF1\xF3n\xA0)", PTBOptions{Latin1: true}, []string{"(né cañón\u00A0)"}},
		{"numbers that are no classes", "(007 a) (-1 b) (99999999999 c) (2147483648 d)", PTBOptions{},
			[]string{"(007 a)", "(-1 b)", "(99999999999 c)", "(2147483648 d)"}},
		{"unlabelled", "( ( a b ) c )(d)", PTBOptions{Unlabelled: true}, []string{"( ( ( a) ( b)) ( c))", "( ( d))"}},
		{"words at heads", "( saw ( I) ( her ( too)))", PTBOptions{HeadWords: true}, []string{"( saw ( I) ( her ( too)))"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			trees, errs := readAll(test.text, test.o)
			assert.Empty(t, errs)
			assert.Equal(t, test.want, trees)
		})
	}
}

func TestPTBReaderUnescapes(t *testing.T) {
	tree, err := NewPTBReader(strings.NewReader(`(X (-LRB- -LRB-) (CD 1\/2) (A \*\\*-RCB-))`), "", PTBOptions{Unescape: true}).Next()
	require.NoError(t, err)
	assert.Equal(t, []string{"(", "1/2", "**}"}, tree.Words())
	assert.Equal(t, []string{"-LRB-", "CD", "A", "X"}, tree.Tag)
}

func TestPTBReaderRejects(t *testing.T) {
	sst := SSTOptions()
	tests := []struct {
		name, text string
		o          PTBOptions
		trees      []string // what is read all the same
		errs       []string
	}{
		{"unclosed", "(2 a", PTBOptions{}, nil,
			[]string{"f:1:1: expected ')' for this bracket, found the end of the input in line 1"}},
		{"unclosed in a file of lines", "(2 (2 a) (2 b)\n(3 (2 c) (2 d))\n(4 x)\n", sst,
			[]string{"(3 (2 c) (2 d))", "(4 x)"},
			[]string{"f:1:1: expected ')' for this bracket, found the end of the input in line 3"}},
		{"several unclosed", "(2 (2 a)\n(3 (2 c) (2 d))\n(4 x\n(1 y)\n(0 z\n", sst,
			[]string{"(3 (2 c) (2 d))", "(1 y)"},
			[]string{
				"f:1:1: expected ')' for this bracket, found the end of the input in line 5",
				"f:3:1: expected ')' for this bracket, found the end of the input in line 5",
				"f:5:1: expected ')' for this bracket, found the end of the input in line 5",
			}},
		{"second tree of a line unclosed", "(2 a) (2 (2 b)\n(2 c)\n", PTBOptions{}, []string{"(2 a)", "(2 c)"},
			[]string{"f:1:7: expected ')' for this bracket, found the end of the input in line 2"}},
		{"one bracket too many", "(2 a)))\n(2 b)", PTBOptions{}, []string{"(2 a)", "(2 b)"},
			[]string{"f:1:6: expected '(' to open a tree, found ')'"}},
		{"text before a tree", "label\t(2 a)\n(2 b)", PTBOptions{}, []string{"(2 b)"},
			[]string{`f:1:1: expected '(' to open a tree, found "label"`}},
		{"text after a tree", "(2 a) # good (2 x)\n(2 b)", PTBOptions{}, []string{"(2 a)", "(2 b)"},
			[]string{`f:1:7: expected '(' to open a tree, found "#"`}},
		{"text at the end", "(2 a)\n\xFF\x00", PTBOptions{}, []string{"(2 a)"},
			[]string{`f:2:1: expected '(' to open a tree, found "\xff\x00"`}},
		{"two tokens", "(A (B b c) (D d)) (E e)", PTBOptions{}, []string{"(E e)"},
			[]string{`f:1:9: expected ')' after the token "b", found a second token "c"`}},
		{"token before a subtree", "(A b (C c))\n(E e)", PTBOptions{}, []string{"(E e)"},
			[]string{`f:1:6: expected ')' after the token "b", found '('`}},
		{"token after a subtree", "(A (C c) b)", PTBOptions{}, nil,
			[]string{`f:1:10: expected '(' or ')' after a subtree, found the token "b"`}},
		{"empty brackets", "(A (B b)\n ())\n(E e)", PTBOptions{}, []string{"(E e)"},
			[]string{"f:2:3: expected a label, a token or a subtree in brackets, found ')'"}},
		{"empty unlabelled brackets", "( a ( ) )", PTBOptions{Unlabelled: true}, nil,
			[]string{"f:1:7: expected a label, a token or a subtree in brackets, found ')'"}},
		{"not UTF-8", "(A é\xE9)\n(B b)", PTBOptions{}, []string{"(B b)"},
			[]string{"f:1:6: expected UTF-8 text, found byte 0xE9 (PTBOptions.Latin1 reads ISO-8859-1)"}},
		{"half a character", "(A\n(B \xC3)\n(C c))", PTBOptions{}, nil,
			[]string{"f:2:4: expected UTF-8 text, found byte 0xC3 (PTBOptions.Latin1 reads ISO-8859-1)"}},
		{"class out of range", "(2 (5 a) (2 b))", sst, nil, []string{`f:1:5: expected a label 0..4, found "5"`}},
		{"class with a sign", "(+2 a)", sst, nil, []string{`f:1:2: expected a label 0..4, found "+2"`}},
		{"class that is a word", "(NP a)", sst, nil, []string{`f:1:2: expected a label 0..4, found "NP"`}},
		{"no class", "(2 ( a) (2 b))", sst, nil, []string{"f:1:5: expected a label 0..4, found none"}},
		{"class too long for a number", "(" + strings.Repeat("9", 60) + " a)", sst, nil,
			[]string{`f:1:2: expected a label 0..4, found "` + strings.Repeat("9", 40) + `"...`}},
		{"unary node", "(2 (2 a))\n(3 b)", sst, []string{"(3 b)"},
			[]string{"f:1:1: expected a node with two subtrees, found one with 1"}},
		{"ternary node", "(2 (2 (2 a) (2 b) (2 c)) (2 d))", sst, nil,
			[]string{"f:1:4: expected a node with two subtrees, found one with 3"}},
		{"leaf without a token", "(2 (2) (2 b))", sst, nil, []string{"f:1:6: expected a token or two subtrees, found ')'"}},
		{"too deep", "(A (B (C c)))\n(A (B b))", PTBOptions{MaxDepth: 2}, []string{"(A (B b))"},
			[]string{"f:1:7: expected at most 2 nested brackets, found one more"}},
		{"too long", "(A aaaaaaaaaaaaa)\n(B b)", PTBOptions{MaxTreeBytes: 10}, []string{"(B b)"},
			[]string{"f:1:1: expected ')' within 10 bytes, found a longer tree"}},
		{"too long, next tree in the same line", "(A aaaaaaaaaaaaa) (B b)", PTBOptions{MaxTreeBytes: 10}, []string{"(B b)"},
			[]string{"f:1:1: expected ')' within 10 bytes, found a longer tree"}},
		{"unclosed beyond the limit", "(A\n(B b)\n(C (D c)\n(E e)\n(F f)", PTBOptions{MaxTreeBytes: 10},
			[]string{"(B b)", "(E e)", "(F f)"},
			[]string{
				"f:1:1: expected ')' within 10 bytes, found a longer tree",
				"f:3:1: expected ')' within 10 bytes, found a longer tree",
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			trees, errs := readAll(test.text, test.o)
			assert.Equal(t, test.errs, errs)
			assert.Equal(t, test.trees, trees)
		})
	}
}

func TestPTBReaderErrorsAreValues(t *testing.T) {
	_, err := NewPTBReader(strings.NewReader("(A (B b) (7 c)"), "brackets", PTBOptions{}).Next()
	var syntax *SyntaxError
	require.ErrorAs(t, err, &syntax)
	assert.Equal(t, Position{"brackets", 1, 1}, syntax.Position())
	assert.ErrorIs(t, err, ErrSyntax)
	assert.NotErrorIs(t, err, ErrLimit)

	_, err = NewPTBReader(strings.NewReader("(A (B b))"), "", PTBOptions{MaxDepth: 1}).Next()
	assert.EqualError(t, err, "1:4: expected at most 1 nested brackets, found one more")
	assert.ErrorIs(t, err, ErrSyntax)
	assert.ErrorIs(t, err, ErrLimit)
}

func TestPTBReaderOptions(t *testing.T) {
	for _, o := range []PTBOptions{
		{Classes: -1}, {Classes: 2, Unlabelled: true}, {HeadWords: true, Unlabelled: true},
		{MaxDepth: -1}, {MaxTreeBytes: -1}, {MaxTreeBytes: 1 << 30},
	} {
		r := NewPTBReader(strings.NewReader("(A a)"), "", o)
		for range 2 {
			_, err := r.Next()
			assert.ErrorIs(t, err, ErrOption, "%+v", o)
		}
	}
}

func TestPTBReaderInputErrors(t *testing.T) {
	broken := errors.New("the cable is cut")
	input := func() io.Reader {
		return io.MultiReader(strings.NewReader("(A a)\n(B b"), iotest.ErrReader(broken), strings.NewReader(")"))
	}
	r := NewPTBReader(input(), "net", PTBOptions{})
	tree, err := r.Next()
	require.NoError(t, err)
	assert.Equal(t, "(A a)", tree.String())
	for range 2 {
		_, err = r.Next()
		assert.ErrorIs(t, err, broken)
		assert.EqualError(t, err, "data: reading net: the cable is cut")
		assert.NotErrorIs(t, err, ErrSyntax)
	}
	items := 0
	for range NewPTBReader(input(), "net", PTBOptions{}).All() {
		items++
	}
	assert.Equal(t, 2, items, "a tree and the error")
}

type stuckReader struct{}

func (stuckReader) Read([]byte) (int, error) { return 0, nil }

func TestPTBReaderStuckInput(t *testing.T) {
	_, err := NewPTBReader(stuckReader{}, "", PTBOptions{}).Next()
	assert.ErrorIs(t, err, io.ErrNoProgress)
}

// How the input arrives makes no difference, whatever falls on the seams.
func TestPTBReaderChunks(t *testing.T) {
	text := "\uFEFF(A (B b)\n(C c)) junk (D\n))) (E é\xE9)\n(F (G g)\n(H h)\n((I i)\n"
	want, wantErrs := readAll(text, PTBOptions{})
	require.NotEmpty(t, want)
	require.NotEmpty(t, wantErrs)
	var got, errs []string
	for tree, err := range NewPTBReader(iotest.OneByteReader(strings.NewReader(text)), "f", PTBOptions{}).All() {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			got = append(got, tree.String())
		}
	}
	assert.Equal(t, want, got)
	assert.Equal(t, wantErrs, errs)
}

// Trees straddle the ends of the buffer at every offset when their lengths vary.
func TestPTBReaderLongStream(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	var want []string
	for text.Len() < 5*windowSize {
		tree := "(3 (2 " + strings.Repeat("x", 1+random.IntN(3000)) + ") (2 b))"
		want = append(want, tree)
		text.WriteString(tree + "\n")
	}
	got, errs := readAll(text.String(), SSTOptions())
	assert.Empty(t, errs)
	assert.Equal(t, want, got)
}

func TestPTBReaderMillionNestedBrackets(t *testing.T) {
	const n = 1_000_000
	text := strings.Repeat("(1 ", n) + "x" + strings.Repeat(")", n)
	tree, err := NewPTBReader(strings.NewReader(text), "", PTBOptions{}).Next()
	require.NoError(t, err)
	assert.Equal(t, n, tree.Len())
	assert.Equal(t, n-1, tree.Depth())
	require.NoError(t, tree.Validate())
	assert.True(t, tree.String() == text[:len("(1 ")*(n-1)]+"(1 x"+strings.Repeat(")", n))

	deeper := strings.Repeat("(1 ", DefaultMaxDepth+1) + "x" + strings.Repeat(")", DefaultMaxDepth+1) + "\n(2 a)"
	r := NewPTBReader(strings.NewReader(deeper), "deep", PTBOptions{})
	_, err = r.Next()
	assert.EqualError(t, err, "deep:1:3145729: expected at most 1048576 nested brackets, found one more")
	assert.ErrorIs(t, err, ErrLimit)
	tree, err = r.Next()
	require.NoError(t, err)
	assert.Equal(t, "(2 a)", tree.String())
}

// matchOf returns the end of the bracket that begins at i, 0 if it is not closed.
func matchOf(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		depth += int(depthStep[text[i]])
		if depth == 0 {
			return i + 1
		}
	}
	return 0
}

// framesOf is the framer without its limit and without its care for time: it looks for
// the match of every bracket anew.
func framesOf(text string) (frames []string, errs int) {
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case isBlank(text[i]):
			i++
		case text[i] == '(' && matchOf(text, i) > 0:
			end := matchOf(text, i)
			frames = append(frames, text[i:end])
			i = end
		case text[i] == '(':
			errs++
			i += lineWithBracket([]byte(rest))
		case text[i] == ')':
			errs++
			i += len(rest) - len(strings.TrimLeft(rest, ")"))
		default:
			errs++
			line, _, _ := strings.Cut(rest, "\n")
			i += len(line)
		}
	}
	return frames, errs
}

func TestFramerAgainstRescanning(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const alphabet = "((()))\n\n a"
	for range 10_000 {
		text := make([]byte, random.IntN(60))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		want, wantErrs := framesOf(string(text))
		var got []string
		var errs int
		f := newFramer(iotest.OneByteReader(strings.NewReader(string(text))), 1000)
		for {
			frame, err := f.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				errs++
				continue
			}
			got = append(got, string(frame.text))
			line := strings.Split(string(text), "\n")[frame.at.Line-1]
			require.Equal(t, byte('('), line[frame.at.Column-1], "%q", text)
		}
		require.Equal(t, want, got, "%q", text)
		require.Equal(t, wantErrs, errs, "%q", text)
	}
}

// Every line is a bracket that is never closed: the worst case for recovery, which must
// cost time in proportion to the input and give one error per line.
func TestPTBReaderManyUnclosedBrackets(t *testing.T) {
	const n = 200_000
	trees, errs := readAll(strings.Repeat("(\n", n)+"(2 a)", PTBOptions{})
	assert.Equal(t, []string{"(2 a)"}, trees)
	assert.Len(t, errs, n)

	trees, errs = readAll(strings.Repeat("(\n", n)+"(2 a)", PTBOptions{MaxTreeBytes: 1000})
	assert.Equal(t, []string{"(2 a)"}, trees)
	assert.Len(t, errs, n)
}

// An input without structure must not pile up in memory.
func TestPTBReaderBoundedMemory(t *testing.T) {
	const limit = 1 << 12
	for _, pattern := range []string{"x", "(", "(a ", ")", "\n(", "( x\n", "(a)\n(\n"} {
		input := io.LimitReader(&repeater{pattern: pattern}, 100*limit)
		r := NewPTBReader(input, "", PTBOptions{MaxTreeBytes: limit})
		var buffer, open int
		for {
			_, err := r.Next()
			if err == io.EOF {
				break
			}
			buffer = max(buffer, cap(r.frames.input.buf))
			open = max(open, cap(r.frames.open))
		}
		assert.LessOrEqual(t, buffer, max(windowSize, 4*limit), "%q", pattern)
		assert.LessOrEqual(t, open, 4*limit, "%q", pattern)
	}
}

type repeater struct {
	pattern string
	at      int
}

func (r *repeater) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.pattern[r.at]
		r.at = (r.at + 1) % len(r.pattern)
	}
	return len(p), nil
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trees.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestReadPTBFile(t *testing.T) {
	t.Run("missing", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "nowhere.txt")
		_, err := ReadPTBFile(path, SSTOptions())
		assert.ErrorIs(t, err, fs.ErrNotExist)
		assert.ErrorContains(t, err, path)
		_, _, err = ReadPTBFileLenient(path, SSTOptions())
		assert.ErrorIs(t, err, fs.ErrNotExist)
	})
	t.Run("empty", func(t *testing.T) {
		for _, text := range []string{"", " \n\n", "\uFEFF\r\n"} {
			path := writeFile(t, text)
			_, err := ReadPTBFile(path, SSTOptions())
			assert.ErrorIs(t, err, ErrEmpty)
			assert.EqualError(t, err, "data: no data: "+path+": expected at least one tree, found none")
			_, _, err = ReadPTBFileLenient(path, SSTOptions())
			assert.ErrorIs(t, err, ErrEmpty)
		}
	})
	t.Run("broken trees", func(t *testing.T) {
		path := writeFile(t, "(2 a)\n(7 b)\n(2 c)\n(2 d e)\n")
		trees, err := ReadPTBFile(path, SSTOptions())
		assert.Len(t, trees, 2)
		assert.EqualError(t, err, path+`:2:2: expected a label 0..4, found "7"`+"\n"+
			path+`:4:6: expected ')' after the token "d", found a second token "e"`)
		assert.ErrorIs(t, err, ErrSyntax)
		assert.NotErrorIs(t, err, ErrEmpty)

		trees, report, err := ReadPTBFileLenient(path, SSTOptions())
		require.NoError(t, err)
		assert.Len(t, trees, 2)
		assert.Equal(t, []int{2, 2, 2}, []int{report.Trees, report.Skipped, len(report.Errs)})
	})
	t.Run("more errors than are kept", func(t *testing.T) {
		path := writeFile(t, strings.Repeat("(7 b)\n", 250)+"(2 a)")
		trees, report, err := ReadPTBFileLenient(path, SSTOptions())
		require.NoError(t, err)
		assert.Len(t, trees, 1)
		assert.Equal(t, 250, report.Skipped)
		assert.Len(t, report.Errs, MaxReportedErrors)
		_, err = ReadPTBFile(path, SSTOptions())
		assert.ErrorContains(t, err, "errors that are not shown: 150")
	})
	t.Run("nothing but broken trees", func(t *testing.T) {
		path := writeFile(t, "(7 b)")
		_, err := ReadPTBFile(path, SSTOptions())
		assert.ErrorIs(t, err, ErrSyntax)
		assert.NotErrorIs(t, err, ErrEmpty)
		_, _, err = ReadPTBFileLenient(path, SSTOptions())
		assert.ErrorIs(t, err, ErrEmpty)
	})
	t.Run("wrong options", func(t *testing.T) {
		_, err := ReadPTBFile(writeFile(t, "(2 b)"), PTBOptions{Classes: -3})
		assert.ErrorIs(t, err, ErrOption)
	})
}
