package data

import (
	"encoding/json"
	"errors"
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

func parents(toks, heads string) *ParentsReader {
	return NewParentsReader(Source{"toks", strings.NewReader(toks)}, Source{"parents", strings.NewReader(heads)})
}

func TestDependencyTree(t *testing.T) {
	words := strings.Fields("The young boys are playing outdoors")
	tree, err := DependencyTree(words, []int32{3, 3, 5, 5, 0, 5})
	require.NoError(t, err)
	require.NoError(t, tree.Validate())
	assert.Equal(t, "( playing ( boys ( The) ( young)) ( are) ( outdoors))", tree.String())
	assert.Equal(t, words, tree.Words())
	assert.Equal(t, []int32{0, 1, 2, 3, 5, 4}, tree.Index)
	assert.Equal(t, 2, tree.Depth())
	assert.False(t, tree.Binary())

	again, err := NewPTBReader(strings.NewReader(tree.String()), "", PTBOptions{HeadWords: true}).Next()
	require.NoError(t, err)
	assert.Equal(t, shape(tree), shape(again))
}

func TestDependencyTreeShapes(t *testing.T) {
	for _, test := range []struct {
		name, want string
		heads      []int32
	}{
		{"one word", "( a)", []int32{0}},
		{"heads first", "( a ( b ( c ( d))))", []int32{0, 1, 2, 3}},
		{"heads last", "( d ( c ( b ( a))))", []int32{2, 3, 4, 0}},
		{"flat", "( b ( a) ( c) ( d))", []int32{2, 0, 2, 2}},
		{"crossing arcs", "( b ( c) ( d ( a)))", []int32{4, 0, 2, 2}},
		{"head inside", "( a ( d ( b) ( c)))", []int32{0, 4, 4, 1}},
	} {
		tree, err := DependencyTree([]string{"a", "b", "c", "d"}[:len(test.heads)], test.heads)
		require.NoError(t, err, test.name)
		require.NoError(t, tree.Validate(), test.name)
		assert.Equal(t, test.want, tree.String(), test.name)
	}
}

func TestDependencyTreeLongChain(t *testing.T) {
	const n = 1_000_000
	words, heads := make([]string, n), make([]int32, n)
	for i := range words {
		words[i], heads[i] = "w", int32(i)
	}
	tree, err := DependencyTree(words, heads)
	require.NoError(t, err)
	assert.Equal(t, n-1, tree.Depth())
	assert.Equal(t, int32(0), tree.Index[tree.Root()])

	heads[0] = n // now all of them go round
	_, err = DependencyTree(words, heads)
	assert.ErrorIs(t, err, ErrTree)
}

func TestDependencyTreeRejects(t *testing.T) {
	tests := []struct {
		words string
		heads []int32
		want  string
	}{
		{"a b", []int32{0}, "data: not a tree: got 2 words and 1 heads, want as many"},
		{"", nil, "data: not a tree: word 1: expected one head 0, found none among 0"},
		{"a b", []int32{2, 3}, "data: not a tree: word 2: expected a head 0..2, found 3"},
		{"a b", []int32{-1, 0}, "data: not a tree: word 1: expected a head 0..2, found -1"},
		{"a b c", []int32{0, 1, 0}, "data: not a tree: word 3: expected one head 0, found a second (the first is that of number 1)"},
		{"a b", []int32{2, 1}, "data: not a tree: word 1: expected one head 0, found none among 2"},
		{"a b", []int32{0, 2}, "data: not a tree: word 2: expected a head that leads to the root, found 2, part of a cycle of 1"},
		{"a b c d e", []int32{2, 5, 0, 2, 4},
			"data: not a tree: word 2: expected a head that leads to the root, found 5, part of a cycle of 3"},
	}
	for _, test := range tests {
		_, err := DependencyTree(strings.Fields(test.words), test.heads)
		assert.EqualError(t, err, test.want)
		assert.ErrorIs(t, err, ErrTree)
	}
}

func TestParentsReaderRejects(t *testing.T) {
	tests := []struct{ name, toks, heads, want string }{
		{"counts", "a b", "0", "parents:1:1: expected 2 heads, one per token of toks:1:1, found 1"},
		{"number", "a b", "0  x", `parents:1:4: expected a head 0..2, found "x"`},
		{"number too large", "a b", "0 99999999999", `parents:1:3: expected a head 0..2, found "99999999999"`},
		{"range", "a b", " 3 0", "parents:1:2: expected a head 0..2, found 3"},
		{"two roots", "a b", "0\t0", "parents:1:3: expected one head 0, found a second (the first is that of number 1)"},
		{"no root", "a b", "2 1", "parents:1:1: expected one head 0, found none among 2"},
		{"cycle", "a b c", "3 0 1", "parents:1:1: expected a head that leads to the root, found 3, part of a cycle of 2"},
		{"empty sentence", "", "", "toks:1:1: expected the tokens of a sentence, found an empty line"},
		{"no heads", "a", "", "parents:1:1: expected 1 heads, one per token of toks:1:1, found 0"},
		{"not UTF-8", "a b\xFF", "0 1", "toks:1:4: expected UTF-8 text, found byte 0xFF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := parents(test.toks+"\nx y", test.heads+"\r\n2 0\r\n")
			_, err := r.Next()
			assert.EqualError(t, err, test.want)
			assert.ErrorIs(t, err, ErrSyntax)
			tree, err := r.Next()
			require.NoError(t, err, "the next sentence is read all the same")
			assert.Equal(t, "( y ( x))", tree.String())
			assert.Equal(t, Position{"toks", 2, 1}, tree.Pos)
			_, err = r.Next()
			assert.Equal(t, io.EOF, err)
		})
	}
}

func TestParentsReaderLengths(t *testing.T) {
	for _, test := range []struct{ toks, heads, want string }{
		{"a\nb\n", "0\n", "toks:2:1: expected the end of the input, as in parents after 1 lines, found another line"},
		{"a\n", "0\n0\n0\n", "parents:2:1: expected the end of the input, as in toks after 1 lines, found another line"},
	} {
		r := parents(test.toks, test.heads)
		_, err := r.Next()
		require.NoError(t, err)
		_, err = r.Next()
		assert.EqualError(t, err, test.want)
		assert.ErrorIs(t, err, ErrSyntax)
		_, err = r.Next()
		assert.Equal(t, io.EOF, err)
	}
}

// A line that is too long must not let the other input run ahead.
func TestParentsReaderStaysInStep(t *testing.T) {
	r := parents("a\n"+strings.Repeat("x", MaxLineBytes+1)+"\nb c\n", "0\n0\n2 0\n")
	_, err := r.Next()
	require.NoError(t, err)
	_, err = r.Next()
	assert.ErrorIs(t, err, ErrLimit)
	tree, err := r.Next()
	require.NoError(t, err)
	assert.Equal(t, "( c ( b))", tree.String())
}

func TestParentsReaderInputError(t *testing.T) {
	broken := errors.New("disk on fire")
	r := NewParentsReader(Source{"toks", strings.NewReader("a\nb\n")},
		Source{"parents", io.MultiReader(strings.NewReader("0\n"), iotest.ErrReader(broken))})
	items := 0
	for _, err := range r.All() {
		items++
		if items == 2 {
			assert.EqualError(t, err, "data: reading parents: disk on fire")
			assert.ErrorIs(t, err, broken)
		}
	}
	assert.Equal(t, 2, items)
}

func TestSICK(t *testing.T) {
	// Depth, fan-out and types are those of all parts together.
	pairs := map[string]int{"train": 4500, "dev": 500, "test": 4927}
	tokens := map[string]int{"train": 44015 + 43074, "dev": 5071 + 4813, "test": 48019 + 47199}
	types, lower := map[string]bool{}, map[string]bool{}
	sentences, depths, deepest, widest := 0, 0, 0, 0
	for part, want := range pairs {
		read, err := ReadSICK(sharedPath(t, "data", "sick", part))
		require.NoError(t, err)
		require.Len(t, read, want)
		n := 0
		for _, pair := range read {
			assert.True(t, SICKMinScore <= pair.Score && pair.Score <= SICKMaxScore)
			for _, tree := range []*Tree{pair.A, pair.B} {
				require.NoError(t, tree.Validate())
				n += tree.Len()
				sentences++
				depths += tree.Depth()
				deepest = max(deepest, tree.Depth())
				for i := range int32(tree.Len()) {
					widest = max(widest, len(tree.Children(i)))
				}
				for _, word := range tree.Words() {
					types[word], lower[strings.ToLower(word)] = true, true
				}
			}
		}
		assert.Equal(t, tokens[part], n)
	}
	assert.Equal(t, 19854, sentences)
	assert.Equal(t, 8, widest)
	// The published depths, 13 at most and 4.4 on average, count nodes instead of edges.
	assert.Equal(t, 13, deepest+1)
	assert.InDelta(t, 4.4, float64(depths)/float64(sentences)+1, 0.05)
	assert.Len(t, types, 2408)
	assert.Len(t, lower, 2312)
}

func TestSICKOfReferenceResults(t *testing.T) {
	var golden struct {
		Data struct {
			Vocab  int       `json:"vocab"`
			SHA256 string    `json:"sha256_of_vocab"`
			Nodes  [][2]int  `json:"nodes"`
			Scores []float64 `json:"scores"`
			First  []int32   `json:"word_ids_of_first_sentence"`
		}
	}
	text, err := os.ReadFile(sharedPath(t, "golden", "treelstm_childsum.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &golden))
	want := golden.Data

	pairs, err := ReadSICK(sharedPath(t, "data", "sick", "train"))
	require.NoError(t, err)
	var trees []*Tree
	for i, score := range want.Scores {
		assert.Equal(t, score, pairs[i].Score)
		assert.Equal(t, want.Nodes[i], [2]int{pairs[i].A.Len(), pairs[i].B.Len()})
		trees = append(trees, pairs[i].A, pairs[i].B)
	}
	v := BuildVocabulary(Tokens(trees), VocabularyOptions{NoUnknown: true, Order: ByBytes})
	assert.Equal(t, want.Vocab, v.Len())
	assert.Equal(t, want.SHA256, v.Hash())
	var first []int32
	for _, word := range trees[0].Words() {
		first = append(first, v.ID(word))
	}
	assert.Equal(t, want.First, first)
}

func writeSICK(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, sickFiles[i]), []byte(text), 0o600))
	}
	return dir
}

func TestReadSICKRejects(t *testing.T) {
	dir := writeSICK(t, "a\nb\nc d\ne\n", "0\n0\n2 1\n0\n", "a\nb\nc\nd\n", "0\n0\n7\n0\n", "1\n5.5\nbad\n 4.5 \r\n")
	pairs, err := ReadSICK(dir)
	require.Len(t, pairs, 2)
	assert.Equal(t, 4.5, pairs[1].Score)
	assert.EqualError(t, err, strings.Join([]string{
		filepath.Join(dir, "sim.txt") + `:2:1: expected a score 1..5, found "5.5"`,
		filepath.Join(dir, "a.parents") + ":3:1: expected one head 0, found none among 2",
		filepath.Join(dir, "b.parents") + ":3:1: expected a head 0..1, found 7",
		filepath.Join(dir, "sim.txt") + `:3:1: expected a score 1..5, found "bad"`,
	}, "\n"))
	assert.ErrorIs(t, err, ErrSyntax)

	for _, score := range []string{"NaN", "+Inf", "", "0.99"} {
		_, err := ReadSICK(writeSICK(t, "a", "0", "b", "0", score+"\n"))
		assert.ErrorContains(t, err, "sim.txt:1:1: expected a score 1..5, found")
	}

	_, err = ReadSICK(writeSICK(t, "a\n", "0\n", "b\nc\n", "0\n", "3\n"))
	assert.ErrorContains(t, err, "b.toks:2:1: expected the end of the input, as in")

	_, err = ReadSICK(writeSICK(t, "", "", "", "", ""))
	assert.ErrorIs(t, err, ErrEmpty)

	_, err = ReadSICK(writeSICK(t, "a\n", "0\n"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "b.toks")
}

func TestSICKReaderClose(t *testing.T) {
	r, err := OpenSICK(writeSICK(t, "a\n", "0\n", "b\n", "0\n", "3\n"))
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.NoError(t, r.Close())
	_, err = r.Next()
	assert.ErrorIs(t, err, os.ErrClosed)

	read := NewSICKReader(SICKSources{
		AToks: Source{"at", strings.NewReader("a")}, AParents: Source{"ap", strings.NewReader("0")},
		BToks: Source{"bt", strings.NewReader("b c")}, BParents: Source{"bp", strings.NewReader("2 0")},
		Scores: Source{"s", strings.NewReader("2")},
	})
	for pair, err := range read.All() {
		require.NoError(t, err)
		assert.Equal(t, "( c ( b))", pair.B.String())
		assert.Equal(t, 2.0, pair.Score)
	}
	assert.NoError(t, read.Close())
}
