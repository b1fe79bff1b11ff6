package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func vocabularyOf(o VocabularyOptions, words ...string) *Vocabulary {
	return BuildVocabulary(slices.Values(words), o)
}

func listOf(v *Vocabulary) []string {
	var words []string
	for id := range int32(v.Len()) {
		words = append(words, v.Word(id))
	}
	return words
}

func TestBuildVocabulary(t *testing.T) {
	words := []string{"b", "The", "a", "the", "b", "", "é", "z", "Z", "b", "a"}
	tests := []struct {
		name string
		o    VocabularyOptions
		want []string
	}{
		{"by count", VocabularyOptions{}, []string{"<unk>", "b", "a", "The", "Z", "the", "z", "é"}},
		{"by bytes", VocabularyOptions{Order: ByBytes}, []string{"<unk>", "The", "Z", "a", "b", "the", "z", "é"}},
		{"without unknown", VocabularyOptions{Order: ByBytes, NoUnknown: true}, []string{"The", "Z", "a", "b", "the", "z", "é"}},
		{"at least two", VocabularyOptions{MinCount: 2}, []string{"<unk>", "b", "a"}},
		{"lower case", VocabularyOptions{Lower: true, MinCount: 2}, []string{"<unk>", "b", "a", "the", "z"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := vocabularyOf(test.o, words...)
			assert.Equal(t, test.want, listOf(v))
			for id, word := range test.want {
				assert.Equal(t, int32(id), v.ID(word))
			}
			slices.Reverse(words)
			assert.Equal(t, test.want, listOf(vocabularyOf(test.o, words...)), "the order of the tokens makes no difference")
		})
	}
}

func TestVocabularyLookup(t *testing.T) {
	v := vocabularyOf(VocabularyOptions{Lower: true}, "Good", "film", Unknown)
	assert.Equal(t, v.ID("good"), v.ID("GOOD"))
	assert.Equal(t, int32(0), v.ID("bad"))
	assert.Equal(t, int32(0), v.ID(Unknown))
	assert.Equal(t, "", v.Word(-1))
	assert.Equal(t, "", v.Word(int32(v.Len())))

	plain := vocabularyOf(VocabularyOptions{NoUnknown: true}, "good")
	assert.Equal(t, NoWord, plain.ID("bad"))
	assert.Equal(t, NoWord, plain.ID("Good"))

	tree := build(t, Node{Word: "Good"}, Node{Word: "bad"}, Node{Arity: 2})
	assert.Equal(t, []int32{v.ID("good"), 0, NoWord}, v.IDs(tree))

	var none Vocabulary
	assert.Equal(t, NoWord, none.ID("x"))
	assert.Equal(t, 0, none.Len())
}

// Words are pieces of the text of their tree; a vocabulary must not keep that alive.
func TestVocabularyCopiesWords(t *testing.T) {
	tree, err := NewPTBReader(strings.NewReader("(2 (2 a) (2 b))"), "", SSTOptions()).Next()
	require.NoError(t, err)
	v := BuildVocabulary(Tokens([]*Tree{tree}), VocabularyOptions{})
	require.Equal(t, tree.Word[0], v.Word(1))
	assert.NotSame(t, unsafe.StringData(tree.Word[0]), unsafe.StringData(v.Word(1)))
}

func TestOOV(t *testing.T) {
	v := vocabularyOf(VocabularyOptions{Lower: true}, "a", "b")
	got := v.OOV(slices.Values([]string{"A", "a", "c", "C", "d", Unknown}))
	assert.Equal(t, OOV{Types: 4, Tokens: 6, UnknownTypes: 3, UnknownTokens: 4}, got)
	assert.InDelta(t, 4.0/6, got.TokenRate(), 1e-15)
	assert.Zero(t, OOV{}.TokenRate())
}

func TestVocabularyOfSST(t *testing.T) {
	train := readShared(t, SSTOptions(), "data", "sst", "train.txt")
	dev := readShared(t, SSTOptions(), "data", "sst", "dev.txt")
	test := readShared(t, SSTOptions(), "data", "sst", "test.txt")
	size := func(o VocabularyOptions, sets ...[]*Tree) int {
		o.NoUnknown = true
		return BuildVocabulary(Tokens(sets...), o).Len()
	}
	assert.Equal(t, 18280, size(VocabularyOptions{}, train))
	assert.Equal(t, 16581, size(VocabularyOptions{Lower: true}, train))
	assert.Equal(t, 18280-9544, size(VocabularyOptions{MinCount: 2}, train))
	assert.Equal(t, 21701, size(VocabularyOptions{}, train, dev, test))
	assert.Equal(t, 19538, size(VocabularyOptions{Lower: true}, train, dev, test))

	v := BuildVocabulary(Tokens(train), VocabularyOptions{})
	assert.Equal(t, 18281, v.Len())
	assert.Equal(t, OOV{5374, 21274, 1185, 1231}, v.OOV(Tokens(dev)))
	assert.Equal(t, OOV{8547, 42405, 2384, 2562}, v.OOV(Tokens(test)))
	assert.Equal(t, OOV{18280, 163563, 0, 0}, v.OOV(Tokens(train)))

	text, err := v.MarshalText()
	require.NoError(t, err)
	var again Vocabulary
	require.NoError(t, again.UnmarshalText(text))
	assert.Equal(t, v, &again)
}

// The reference results name the hash of their vocabulary and the ids of the first
// tree; both were computed by another program.
func TestVocabularyOfReferenceResults(t *testing.T) {
	var golden struct {
		Data struct {
			Vocab  int     `json:"vocab"`
			SHA256 string  `json:"sha256_of_vocab"`
			Nodes  []int   `json:"nodes"`
			First  []int32 `json:"word_ids_of_first_tree"`
		}
	}
	text, err := os.ReadFile(sharedPath(t, "golden", "treelstm_binary_e12_h10.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &golden))
	want := golden.Data

	trees := readShared(t, SSTOptions(), "data", "sst", "train.txt")[:len(want.Nodes)]
	v := BuildVocabulary(Tokens(trees), VocabularyOptions{NoUnknown: true, Order: ByBytes})
	assert.Equal(t, want.Vocab, v.Len())
	assert.Equal(t, want.SHA256, v.Hash())
	for i, tree := range trees {
		assert.Equal(t, want.Nodes[i], tree.Len())
	}
	var first []int32
	for _, word := range trees[0].Words() {
		first = append(first, v.ID(word))
	}
	assert.Equal(t, want.First, first)
}

func TestVocabularyHash(t *testing.T) {
	sum := sha256.Sum256([]byte("<unk>\na\n\"b\\n\"\n"))
	v := vocabularyOf(VocabularyOptions{Order: ByBytes}, "a", "b\n")
	assert.Equal(t, hex.EncodeToString(sum[:]), v.Hash())
	assert.NotEqual(t, v.Hash(), vocabularyOf(VocabularyOptions{Order: ByBytes}, "a", "b", "").Hash())
}

func TestVocabularyText(t *testing.T) {
	v := vocabularyOf(VocabularyOptions{Order: ByBytes}, "a", "two words", "line\nend", `"quoted"`, "\xFF", "\u00A0", "x\r")
	var out bytes.Buffer
	n, err := v.WriteTo(&out)
	require.NoError(t, err)
	assert.Equal(t, int64(out.Len()), n)
	assert.Equal(t, "frond-vocabulary 1 unknown=true lower=false words=8\n<unk>\n"+
		"\"\\\"quoted\\\"\"\na\n\"line\\nend\"\ntwo words\n\"x\\r\"\n\u00A0\n\"\\xff\"\n", out.String())

	read, err := ReadVocabulary(iotest.OneByteReader(strings.NewReader(out.String())), "words")
	require.NoError(t, err)
	assert.Equal(t, v, read)

	crlf := strings.ReplaceAll(out.String(), "\n", "\r\n")
	read, err = ReadVocabulary(strings.NewReader("\uFEFF"+crlf), "words")
	require.NoError(t, err)
	assert.Equal(t, v, read)
}

func TestReadVocabularyRejects(t *testing.T) {
	const header = "frond-vocabulary 1 unknown=true lower=true words=3\n"
	tests := []struct{ name, text, want string }{
		{"nothing", "", "v:1:1: expected a vocabulary, found the end of the input"},
		{"no header", "<unk>\n", `v:1:1: expected the header "frond-vocabulary 1 unknown=... lower=... words=...", found "<unk>"`},
		{"negative count", "frond-vocabulary 1 unknown=true lower=true words=-3\n",
			`v:1:1: expected the header "frond-vocabulary 1 unknown=... lower=... words=...", found "frond-vocabulary 1 unknown=true lower=tr"...`},
		{"no place for unknown", "frond-vocabulary 1 unknown=true lower=true words=0\n",
			`v:1:1: expected the word "<unk>" with unknown=true, found words=0`},
		{"unknown is not first", header + "a\n<unk>\nb\n", `v:2:1: expected "<unk>" as the first word, found "a"`},
		{"twice", header + "<unk>\na\na\n", `v:4:1: expected a new word, found "a", which is in line 3`},
		{"upper case", header + "<unk>\nA\nb\n", `v:3:1: expected a word in lower case, found "A"`},
		{"empty line", header + "<unk>\n\nb\n", `v:3:1: expected a word, found "": the line is empty`},
		{"quotes", header + "<unk>\n\"b\n", `v:3:1: expected a word, found "\"b": the quotes are not those of a Go string`},
		{"empty in quotes", header + "<unk>\n\"\"\n", `v:3:1: expected a word, found "\"\"": the word is empty`},
		{"control character", header + "<unk>\na\tb\n", `v:3:1: expected a word, found "a\tb": it needs quotes`},
		{"too few", header + "<unk>\na\n", "v:3:1: expected 3 words, found the end of the input after 2"},
		{"too many", header + "<unk>\na\nb\nc\n", `v:5:1: expected the end of the input after 3 words, found "c"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ReadVocabulary(strings.NewReader(test.text), "v")
			assert.EqualError(t, err, test.want)
			assert.ErrorIs(t, err, ErrSyntax)

			kept := vocabularyOf(VocabularyOptions{}, "kept")
			require.Error(t, kept.UnmarshalText([]byte(test.text)))
			assert.Equal(t, []string{"<unk>", "kept"}, listOf(kept))
		})
	}
	broken := errors.New("no carrier")
	_, err := ReadVocabulary(iotest.ErrReader(broken), "v")
	assert.ErrorIs(t, err, broken)
}
