package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireInside checks that an error is about the input and points into it, or just
// behind its end.
func requireInside(t *testing.T, err error, text string) {
	t.Helper()
	var syntax *SyntaxError
	require.True(t, errors.As(err, &syntax), "%v", err)
	requirePosition(t, syntax.Position(), text)
}

func requirePosition(t *testing.T, p Position, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimPrefix(text, byteOrderMark), "\n")
	require.True(t, 1 <= p.Line && p.Line <= len(lines), "%v in %q", p, text)
	require.True(t, 1 <= p.Column && p.Column <= len(lines[p.Line-1])+1, "%v in %q", p, text)
}

func FuzzPTB(f *testing.F) {
	for _, seed := range []string{
		"(3 (2 good) (2 film))", "( (S (NP x)) ( y))", "(2 a\n(3 b)\n", "(2 a)))(", "((((", "()", "x (a b) y",
		"\uFEFF(2 a)\r\n", "(2 8\u00A01\\/2)", "(2 \xE9)", "(-LRB- -LRB--RRB-)", `(a \\/\*)`, "( ( a b ) c )",
		"( saw ( I) ( her))", "(2 (2 a b) (2 c))", "(A\n(B b\n(C c)", "(99999999999 a)", "(a -LRB-LRB-)", "(0 (0 a) (0 b))",
	} {
		for options := range byte(32) {
			f.Add(seed, options, byte(0))
		}
		f.Add(seed, byte(0), byte(5))
	}
	f.Fuzz(func(t *testing.T, text string, options, limits byte) {
		o := PTBOptions{
			Unescape: options&1 != 0, Latin1: options&2 != 0, Unlabelled: options&4 != 0, Binary: options&8 != 0,
			MaxDepth: int(limits & 7), MaxTreeBytes: int(limits >> 3),
		}
		if options&16 != 0 && !o.Unlabelled {
			o.Classes, o.HeadWords = 5, true
		}
		// What String writes has labels, is UTF-8, and may be longer than its source.
		again := o
		again.Latin1, again.Unlabelled, again.MaxDepth, again.MaxTreeBytes = false, false, 0, 0
		for tree, err := range NewPTBReader(strings.NewReader(text), "", o).All() {
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			require.NoError(t, tree.Validate())
			requirePosition(t, tree.Pos, text)
			copied, err := NewPTBReader(strings.NewReader(tree.String()), "", again).Next()
			require.NoError(t, err, "%q from %q", tree.String(), text)
			require.Equal(t, shape(tree), shape(copied))
		}
	})
}

func FuzzListOpsTSV(f *testing.F) {
	for _, seed := range []string{
		"9\t( ( ( [MAX 2 ) 9 ) ] )\n", "4\t4", "1\t( ( [FIRST 1 ) ] )\r\n2\tx\n", "7\t( ( ( [SM 9 ) ( ( ( [MIN 8 ) 9 ) ] ) ) ] )",
		"\uFEFF0\t]", "1\t(", "1\t)", "\t", "1\t( [MED ] )", "1\t\xFF", "3\t( 1 2 )",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for tree, err := range NewListOpsReader(strings.NewReader(text), "").All() {
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			require.NoError(t, tree.Validate())
			requirePosition(t, tree.Pos, text)
			require.Equal(t, evaluate(t, string(tree.AppendUnlabelled(nil))), int(tree.Label[tree.Root()]))
			var out bytes.Buffer
			require.NoError(t, WriteListOps(&out, []*Tree{tree}))
			copied, err := NewListOpsReader(&out, "").Next()
			require.NoError(t, err)
			require.Equal(t, shape(tree), shape(copied))
		}
	})
}

func FuzzListOpsText(f *testing.F) {
	for _, seed := range []string{
		"[MAX 2 9 ]\n", "[SM 1[MIN 4 7]0]", "( ( ( [MAX 2 ) 9 ) ] )\r\n\n7\n", "]", "[MAX ]", "[", "[MAX", "1 2", "(", "\uFEFF\t[FIRST 1]", "\xFF", "[MAX\u00A02 9]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for tree, err := range NewListOpsTextReader(strings.NewReader(text), "").All() {
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			require.NoError(t, tree.Validate())
			requirePosition(t, tree.Pos, text)
			binary := string(tree.AppendUnlabelled(nil))
			require.Equal(t, evaluate(t, binary), int(tree.Label[tree.Root()]))
			for _, again := range []string{binary, strings.Join(tree.Words(), " ")} {
				copied, err := NewListOpsTextReader(strings.NewReader(again), "").Next()
				require.NoError(t, err, again)
				require.Equal(t, shape(tree), shape(copied))
			}
		}
	})
}

func FuzzParents(f *testing.F) {
	for _, seed := range [][2]string{
		{"The boys play", "2 3 0"}, {"a b c", "2 1 0"}, {"a\nb c\n", "0\n0 0\n"}, {"a", "x"}, {"a b", "0 99"},
		{"", ""}, {"a\r\n", "0\r\n"}, {"\uFEFFa ( )", "0 1 -1"}, {"a\n\nb", "0\n\n0"}, {"\xFF", "0"}, {"a b c d", "4 1 2 0"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, toks, heads string) {
		r := NewParentsReader(Source{"toks", strings.NewReader(toks)}, Source{"heads", strings.NewReader(heads)})
		for tree, err := range r.All() {
			if err != nil {
				var syntax *SyntaxError
				require.True(t, errors.As(err, &syntax), "%v", err)
				requirePosition(t, syntax.Position(), map[string]string{"toks": toks, "heads": heads}[syntax.File])
				continue
			}
			require.NoError(t, tree.Validate())
			copied, err := DependencyTree(tree.Words(), headsOf(tree))
			require.NoError(t, err)
			require.Equal(t, shape(tree), shape(copied))
			require.Equal(t, tree.Index, copied.Index)
		}
	})
}

// headsOf inverts DependencyTree.
func headsOf(t *Tree) []int32 {
	heads := make([]int32, t.Len())
	for i := range int32(t.Len()) {
		for _, c := range t.Children(i) {
			heads[t.Index[c]] = t.Index[i] + 1
		}
	}
	return heads
}

func FuzzVocab(f *testing.F) {
	for _, seed := range []string{
		"frond-vocabulary 1 unknown=true lower=false words=2\n<unk>\na\n", "frond-vocabulary 1 unknown=false lower=true words=0\n",
		"frond-vocabulary 1 unknown=false lower=true words=2\na\na\n", "a b b c", "\"x\" \xFF \u00A0", "", "É É é <unk>", "a\r\nb\x00",
	} {
		for options := range byte(8) {
			f.Add(seed, options)
		}
	}
	f.Fuzz(func(t *testing.T, text string, options byte) {
		v, err := ReadVocabulary(strings.NewReader(text), "")
		if err != nil {
			requireInside(t, err, text)
		} else {
			requireRoundTrip(t, v)
		}
		o := VocabularyOptions{Lower: options&1 != 0, NoUnknown: options&2 != 0, Order: VocabularyOrder(options >> 2 & 1)}
		v = BuildVocabulary(strings.SplitSeq(text, " "), o)
		requireRoundTrip(t, v)
		for id := range int32(v.Len()) {
			require.Equal(t, id, v.ID(v.Word(id)))
		}
	})
}

func requireRoundTrip(t *testing.T, v *Vocabulary) {
	t.Helper()
	var out bytes.Buffer
	_, err := v.WriteTo(&out)
	require.NoError(t, err)
	again, err := ReadVocabulary(io.Reader(&out), "")
	require.NoError(t, err, fmt.Sprintf("%q", listOf(v)))
	require.Equal(t, listOf(v), listOf(again))
	require.Equal(t, v.Hash(), again.Hash())
}
