package data

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadEmbedding(t *testing.T) {
	v := vocabularyOf(VocabularyOptions{}, "The", "-LRB-", `1\/2`, "film", "rare", "the")
	// "The" is in the file in two spellings; the exact one wins although it comes first.
	const file = "The 1 1\nthe 2 2\n( 3 3\n1/2 4 4\nother 5 5\nfilm 6 6\n"
	e, report, err := ReadEmbedding(strings.NewReader(file), "f", v, EmbeddingOptions{Seed: 7})
	require.NoError(t, err)
	assert.Equal(t, Report{Trees: 5}, report)
	assert.Equal(t, 2, e.Dim)
	require.Len(t, e.Rows, 2*v.Len())
	for word, want := range map[string]float32{"The": 1, "the": 2, "-LRB-": 3, `1\/2`: 4, "film": 6} {
		assert.Equal(t, []float32{want, want}, e.Row(v.ID(word)), word)
		assert.True(t, e.Known[v.ID(word)])
	}
	assert.Equal(t, OOV{Types: 4, Tokens: 5, UnknownTypes: 3, UnknownTokens: 3},
		e.OOV(slices.Values([]string{"film", "film", "rare", "other", Unknown})))

	_, err = ReadEmbeddingFile(filepath.Join(t.TempDir(), "missing"), v, EmbeddingOptions{})
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestEmbeddingOfUnknownWords(t *testing.T) {
	v := vocabularyOf(VocabularyOptions{}, "a", "b", "c")
	read := func(file string, o EmbeddingOptions) *Embedding {
		e, _, err := ReadEmbedding(strings.NewReader(file), "f", v, o)
		require.NoError(t, err)
		return e
	}
	one := read("a 1 1 1\n", EmbeddingOptions{Seed: 7})
	other := read("b 1 1 1\n", EmbeddingOptions{Seed: 7})
	assert.Equal(t, one.Row(v.ID("c")), other.Row(v.ID("c")), "a row does not depend on what else is in the file")
	assert.NotEqual(t, one.Row(v.ID("c")), one.Row(0))
	assert.NotEqual(t, one.Row(v.ID("c")), read("a 1 1 1\n", EmbeddingOptions{Seed: 8}).Row(v.ID("c")))
	for id := range int32(v.Len()) {
		for _, x := range one.Row(id) {
			assert.True(t, one.Known[id] || -DefaultVectorScale <= x && x <= DefaultVectorScale && x != 0)
		}
	}
	zeros := read("a 1 1 1\n", EmbeddingOptions{Zeros: true})
	assert.Equal(t, []float32{0, 0, 0}, zeros.Row(v.ID("c")))

	given := read("<unk> 2 2 2\n", EmbeddingOptions{})
	assert.Equal(t, []float32{2, 2, 2}, given.Row(0), "the file may have a vector for unknown words")
	assert.Equal(t, 1, given.OOV(slices.Values([]string{"z"})).UnknownTokens)

}

func TestReadEmbeddingRejects(t *testing.T) {
	v := vocabularyOf(VocabularyOptions{Lower: true}, "A", "b")
	e, report, err := ReadEmbedding(strings.NewReader("a 1\nb x\na 2\nz\n"), "f", v, EmbeddingOptions{})
	require.NoError(t, err)
	assert.EqualError(t, report.Err(), strings.Join([]string{
		`f:2:3: expected a finite float32 as element 1 of 1, found "x"`,
		`f:3:1: expected a new word, found "a", which is in line 1`,
		"f:4:1: expected a word and 1 numbers, found 1 fields",
	}, "\n"))
	assert.Equal(t, []float32{1}, e.Row(v.ID("A")), "the first vector of a word stays")
	assert.Equal(t, 3, report.Skipped)

	path := filepath.Join(t.TempDir(), "v.txt")
	require.NoError(t, os.WriteFile(path, []byte("a 1\na 1\n"), 0o600))
	e, err = ReadEmbeddingFile(path, v, EmbeddingOptions{})
	assert.EqualError(t, err, path+`:2:1: expected a new word, found "a", which is in line 1`)
	assert.ErrorIs(t, err, ErrSyntax)
	assert.Equal(t, []float32{1}, e.Row(v.ID("a")))

	_, _, err = ReadEmbedding(strings.NewReader(""), "f", v, EmbeddingOptions{})
	assert.ErrorIs(t, err, ErrEmpty)
	_, _, err = ReadEmbedding(strings.NewReader("a 1"), "f", v, EmbeddingOptions{Scale: -1})
	assert.ErrorIs(t, err, ErrOption)
	_, _, err = ReadEmbedding(strings.NewReader("a 1"), "f", v, EmbeddingOptions{VectorOptions: VectorOptions{Dim: -1}})
	assert.ErrorIs(t, err, ErrOption)
}

// What the published subsets cover of SST is known: of the types of the training set,
// which keep their case, and of its tokens, after undoing escapes and lower-casing.
func TestEmbeddingOfSST(t *testing.T) {
	train := readShared(t, SSTOptions(), "data", "sst", "train.txt")
	v := BuildVocabulary(Tokens(train), VocabularyOptions{})
	for _, test := range []struct {
		file          string
		dim           int
		types, tokens float64 // percent covered
	}{
		{"glove.6B.50d.subset5050.txt", 50, 24.4, 79.2},
		{"glove.twitter.25d.subset11925.txt", 25, 39.2, 72.3},
	} {
		lower := func(word string) []string { s := Spellings(word); return s[len(s)-1:] }
		e, err := ReadEmbeddingFile(sharedPath(t, "data", "vectors", test.file), v, EmbeddingOptions{Spellings: lower})
		require.NoError(t, err)
		assert.Equal(t, test.dim, e.Dim)
		oov := e.OOV(Tokens(train))
		assert.Equal(t, 163563, oov.Tokens)
		assert.InDelta(t, test.tokens, 100*(1-oov.TokenRate()), 0.05)
		assert.InDelta(t, test.types, 100*(1-float64(oov.UnknownTypes)/float64(oov.Types)), 0.05)
	}
}

func TestEmbeddingWrite(t *testing.T) {
	v := vocabularyOf(VocabularyOptions{}, "a", "b\u00A0c", "1")
	e, _, err := ReadEmbedding(strings.NewReader("a 0.1 -3e-40\n1 1e38 0\n"), "f", v, EmbeddingOptions{})
	require.NoError(t, err)
	for _, format := range []VectorFormat{VectorText, VectorBinary} {
		var out bytes.Buffer
		require.NoError(t, e.Write(&out, format))
		again, report, err := ReadEmbedding(&out, "f", v, EmbeddingOptions{VectorOptions: VectorOptions{Format: format}})
		require.NoError(t, err)
		require.NoError(t, report.Err())
		assert.Equal(t, v.Len(), report.Trees)
		assert.Equal(t, e.Rows, again.Rows)
	}
	for _, word := range []string{"a b", "a\n", "\xFF", strings.Repeat("x", MaxVectorWordBytes+1)} {
		bad := &Embedding{Vocabulary: vocabularyOf(VocabularyOptions{}, word), Dim: 1, Rows: []float32{0, 0}}
		assert.ErrorIs(t, bad.Write(&bytes.Buffer{}, VectorText), ErrWord)
	}
	assert.ErrorIs(t, e.Write(&bytes.Buffer{}, 9), ErrOption)
	assert.ErrorIs(t, e.Write(full{}, VectorText), fs.ErrClosed)
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, fs.ErrClosed }

func TestWritersReportTheirOutput(t *testing.T) {
	tree := build(t, Node{Word: "a"})
	assert.ErrorIs(t, WriteLogic(full{}, []LogicPair{{A: tree, B: tree}}), fs.ErrClosed)
	assert.ErrorIs(t, WriteArithmetic(full{}, []*Tree{build(t, Node{Label: 1, Word: "0"})}, ArithmeticSign), fs.ErrClosed)
	sentences, errs := readCoNLLU(udSentence("1 a 0 root"))
	require.Empty(t, errs)
	assert.ErrorIs(t, WriteCoNLLU(full{}, sentences), fs.ErrClosed)
}

// endless repeats a line without end of its own.
type endless struct {
	line string
	left int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, os.ErrClosed
	}
	n := 0
	for n+len(e.line) <= len(p) && e.left > 0 {
		n += copy(p[n:], e.line)
		e.left--
	}
	return n, nil
}

// A file may be far larger than memory: only the wanted words cost any.
func TestReadEmbeddingStreams(t *testing.T) {
	v := vocabularyOf(VocabularyOptions{}, "wanted")
	line := "unwanted" + strings.Repeat(" 0.123456", 300) + "\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := ReadEmbedding(&endless{line, 20_000}, "f", v, EmbeddingOptions{}) // 56 MB
	runtime.ReadMemStats(&after)
	assert.ErrorIs(t, err, os.ErrClosed)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}

func FuzzVectors(f *testing.F) {
	for _, seed := range []string{
		"the 0.1 0.2\n. . 1 2\n", "2 2\na 1 2\nb 3 4\n", "a 1\na 2\n", "1 1\n\n", "\uFEFF1 2\r\nx NaN 1", "x 1e99", " 1 2", "a\t1  2 \t\n",
		"1 1\na \x00\x00\x80\x3F\n", "2 1\na \x00\x00\xC0\x7F", "3 2\nab", "99999999999999999999 1\n", "1 16385\n",
	} {
		for format := range byte(2) {
			f.Add(seed, format, byte(0))
			f.Add(seed, format, byte(2))
		}
	}
	f.Fuzz(func(t *testing.T, text string, format, dim byte) {
		o := VectorOptions{Format: VectorFormat(format % 2), Dim: int(dim)}
		r := NewVectorReader(strings.NewReader(text), "", o)
		var words []string
		for w, err := range r.All() {
			if err != nil {
				require.ErrorIs(t, err, ErrSyntax)
				continue
			}
			require.Len(t, w.Vector, r.Dim())
			words = append(words, w.Word)
		}
		v := BuildVocabulary(slices.Values(words), VocabularyOptions{NoUnknown: true})
		e, report, err := ReadEmbedding(strings.NewReader(text), "", v, EmbeddingOptions{VectorOptions: o})
		if r.Dim() == 0 {
			require.ErrorIs(t, err, ErrEmpty)
			return
		}
		require.NoError(t, err)
		require.Equal(t, v.Len(), report.Trees)
		var out bytes.Buffer
		if err := e.Write(&out, o.Format); err != nil {
			require.ErrorIs(t, err, ErrWord)
			return
		}
		again, report, err := ReadEmbedding(&out, "", v, EmbeddingOptions{VectorOptions: o})
		require.NoError(t, err)
		require.NoError(t, report.Err())
		require.Equal(t, e.Rows, again.Rows)
	})
}
