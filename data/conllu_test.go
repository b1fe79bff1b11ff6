package data

import (
	"bytes"
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

// udSentence makes the text of a sentence of lines "ID FORM HEAD DEPREL".
func udSentence(lines ...string) string {
	var text strings.Builder
	for _, line := range lines {
		if strings.HasPrefix(line, "#") {
			text.WriteString(line + "\n")
			continue
		}
		f := strings.Fields(line)
		text.WriteString(strings.Join([]string{f[0], f[1], strings.ToLower(f[1]), "X", "_", "_", f[2], f[3], "_", "_"}, "\t") + "\n")
	}
	return text.String() + "\n"
}

func readCoNLLU(text string) (sentences []*UDSentence, errs []string) {
	for s, err := range NewCoNLLUReader(strings.NewReader(text), "f").All() {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			sentences = append(sentences, s)
		}
	}
	return sentences, errs
}

func TestCoNLLU(t *testing.T) {
	text := udSentence("# sent_id = 7", "#text=Vámonos  = al mar", "1-2 Vámonos _ _", "1 Vamos 0 root", "2 nos 1 obj",
		"2.1 va _ _", "3-4 al _ _", "3 a 5 case", "4 el 5 det", "5 mar 1 obl") + "\n" + udSentence("0.1 nada _ _", "1 No 0 root")
	sentences, errs := readCoNLLU(text)
	require.Empty(t, errs)
	require.Len(t, sentences, 2)
	s := sentences[0]
	assert.Equal(t, Position{"f", 1, 1}, s.Pos)
	for key, want := range map[string]string{"sent_id": "7", "text": "Vámonos  = al mar"} {
		got, ok := s.Meta(key)
		assert.True(t, ok)
		assert.Equal(t, want, got)
	}
	_, ok := s.Meta("newdoc")
	assert.False(t, ok)
	require.Len(t, s.Lines, 8)
	assert.Equal(t, UDID{First: 1, Last: 2}, s.Lines[0].ID)
	assert.Equal(t, UDID{First: 2, Last: 2, Empty: 1}, s.Lines[3].ID)
	assert.Equal(t, UDToken{UDID{3, 3, 0}, "a", "a", "X", "_", "_", 5, "case", "_", "_"}, s.Lines[5])
	assert.Len(t, s.Words(), 5)

	tree, err := s.Tree()
	require.NoError(t, err)
	require.NoError(t, tree.Validate())
	assert.Equal(t, "(root Vamos (obj nos) (obl mar (case a) (det el)))", tree.String())
	assert.Equal(t, []string{"Vamos", "nos", "a", "el", "mar"}, tree.Words())
	for i, at := range tree.Index {
		assert.Equal(t, tree.Word[i], s.Words()[at].Form)
	}
	assert.Equal(t, Position{"f", 13, 1}, sentences[1].Pos)

	var out bytes.Buffer
	require.NoError(t, WriteCoNLLU(&out, sentences))
	assert.Equal(t, strings.Replace(text, "\n\n\n", "\n\n", 1), out.String())
}

func TestCoNLLUAccepts(t *testing.T) {
	one := udSentence("1 a 0 root")
	for name, text := range map[string]string{
		"CRLF and byte order mark": "\uFEFF" + strings.ReplaceAll(one+one, "\n", "\r\n"),
		"no empty line at the end": one + strings.TrimRight(one, "\n"),
		"many empty lines":         "\n\n" + one + "\n\n\n" + one + "\n\n",
	} {
		sentences, errs := readCoNLLU(text)
		assert.Empty(t, errs, name)
		assert.Len(t, sentences, 2, name)
	}
	blanks, errs := readCoNLLU("1\tNew York\tNew\u00A0York\tX\t_\t_\t0\troot\t_\tA=b c\n")
	require.Empty(t, errs)
	assert.Equal(t, "New York", blanks[0].Lines[0].Form)
	assert.Equal(t, "A=b c", blanks[0].Lines[0].Misc)
}

func TestCoNLLURejects(t *testing.T) {
	good := udSentence("1 good 0 root")
	tests := []struct{ name, text, want string }{
		{"columns", "1\ta\tb\n", `f:1:1: expected 10 columns divided by tabs, found 3 in "1\ta\tb"`},
		{"blanks for tabs", "# c\n1 a a X _ _ 0 root _ _\n", `f:2:1: expected 10 columns divided by tabs, found 1 in "1 a a X _ _ 0 root _ _"`},
		{"empty column", "1\ta\t\tX\t_\t_\t0\troot\t_\t_\n", "f:1:5: expected the column LEMMA, or '_' where it has no value, found nothing"},
		{"blank in a column", "1\ta\ta\tX Y\t_\t_\t0\troot\t_\t_\n", `f:1:7: expected no blank in the column UPOS, found "X Y"`},
		{"number", udSentence("one a 0 root"), `f:1:1: expected a number such as 3, 3-4 or 3.1, found "one"`},
		{"leading zero", udSentence("01 a 0 root"), `f:1:1: expected a number such as 3, 3-4 or 3.1, found "01"`},
		{"backward range", udSentence("2-1 a _ _"), `f:1:1: expected a number such as 3, 3-4 or 3.1, found "2-1"`},
		{"word 0", udSentence("0 a 0 root"), `f:1:1: expected a number such as 3, 3-4 or 3.1, found "0"`},
		{"gap", udSentence("1 a 0 root", "3 b 1 x"), "f:2:1: expected the number 2, found 3"},
		{"late range", udSentence("1 a 0 root", "1-2 ab _ _"), "f:2:1: expected the number 2, found 1-2"},
		{"overlap", udSentence("1-2 ab _ _", "1 a 0 root", "2-3 bc _ _"),
			"f:3:1: expected a multiword token behind word 2, where the one before ends, found 2-3"},
		{"open range", udSentence("1-3 abc _ _", "1 a 0 root", "2 b 1 x"),
			"f:3:1: expected the words of a multiword token up to 3, found the end of the sentence after 2"},
		{"empty node", udSentence("1 a 0 root", "1.2 b _ _"), "f:2:1: expected the number 1.1, found 1.2"},
		{"head of a range", udSentence("1-2 ab 0 root"), `f:1:17: expected no head, '_', of 1-2, which is not a word, found "0"`},
		{"head", udSentence("1 a x root"), `f:1:13: expected the number of a word, 0 or '_' as a head, found "x"`},
		{"head outside", udSentence("# c", "1 a 0 root", "2 bb 4 x"), "f:3:15: expected a head 0..2, found 4"},
		{"late comment", udSentence("1 a 0 root", "# late"), `f:2:1: expected 10 columns divided by tabs, found 1 in "# late"`},
		{"no words", "# only\n# comments\n\n", "f:2:1: expected a sentence of at least one word, found none"},
		{"not UTF-8", "# c\n# \xFF\n1\tx\n\n", "f:2:3: expected UTF-8 text, found byte 0xFF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sentences, errs := readCoNLLU(test.text + "\n" + good)
			assert.Equal(t, []string{test.want}, errs)
			require.Len(t, sentences, 1, "the next sentence is read all the same")
			assert.Equal(t, "good", sentences[0].Lines[0].Form)
		})
	}
}

func TestCoNLLUTreeRejects(t *testing.T) {
	tests := []struct{ text, want string }{
		{udSentence("# c", "1 a 2 x", "2 bb 1 y"), "f:2:13: expected one head 0, found none among 2"},
		{udSentence("1 a 0 root", "1.1 e _ _", "2 bb 0 root"), "f:3:15: expected one head 0, found a second (the first is that of number 1)"},
		{udSentence("1 a 0 root", "2-3 bc _ _", "2 b 3 x", "3 c 2 x"), "f:3:13: expected a head that leads to the root, found 3, part of a cycle of 2"},
		{udSentence("1 a _ _"), `f:1:13: expected the head of "a", found none`},
	}
	for _, test := range tests {
		for _, err := range NewCoNLLUReader(strings.NewReader(test.text), "f").Trees() {
			assert.EqualError(t, err, test.want)
			assert.ErrorIs(t, err, ErrSyntax)
		}
	}
	_, err := (&UDSentence{}).Tree()
	assert.ErrorIs(t, err, ErrSyntax)
	tree, err := (&UDSentence{Lines: []UDToken{{ID: UDID{1, 1, 0}, Form: "a", DepRel: "7"}}}).Tree()
	require.NoError(t, err)
	assert.Equal(t, int32(7), tree.Label[0], "a label that is a number is a class")
}

func TestCoNLLULimits(t *testing.T) {
	comment := "# " + strings.Repeat("x", 1<<20) + "\n"
	sentences, errs := readCoNLLU(strings.Repeat(comment, 17) + udSentence("1 a 0 root") + udSentence("1 b 0 root"))
	assert.Equal(t, []string{"f:16:1: expected at most 16777216 bytes in a sentence, found more"}, errs)
	assert.Len(t, sentences, 1)
	sentences, errs = readCoNLLU("# " + strings.Repeat("x", MaxLineBytes) + "\n" + udSentence("1 a 0 root") + udSentence("1 b 0 root"))
	assert.Len(t, errs, 1)
	assert.Len(t, sentences, 1)

	broken := errors.New("disk on fire")
	r := NewCoNLLUReader(io.MultiReader(strings.NewReader(udSentence("1 a 0 root")+"# x\n"), iotest.ErrReader(broken)), "f")
	_, err := r.Next()
	require.NoError(t, err)
	for range 2 {
		_, err = r.Next()
		assert.EqualError(t, err, "data: reading f: disk on fire")
	}
	_, err = ReadCoNLLUFile(filepath.Join(t.TempDir(), "missing"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestWriteCoNLLURejects(t *testing.T) {
	word := UDToken{UDID{1, 1, 0}, "a", "a", "X", "_", "_", 0, "root", "_", "_"}
	for misc, want := range map[string]error{"_": nil, "": ErrSyntax, "a\tb": ErrSyntax, "a\n": ErrWord, "a\r": ErrWord, "a\nb": ErrSyntax} {
		word.Misc = misc
		err := WriteCoNLLU(io.Discard, []*UDSentence{{Lines: []UDToken{word}}})
		assert.ErrorIs(t, err, want, "%q", misc)
	}
	word.Misc = "_"
	assert.Error(t, WriteCoNLLU(io.Discard, []*UDSentence{{Comments: []string{"no mark"}, Lines: []UDToken{word}}}))
	assert.Error(t, WriteCoNLLU(io.Discard, []*UDSentence{{}}))
}

// crosses reports whether an arc of the tree has a word between its ends that does not
// hang from its head.
func crosses(heads []int32) bool {
	for d, h := range heads {
		for between := min(d, int(h)-1) + 1; h > 0 && between < max(d, int(h)-1); between++ {
			at := between
			for at != int(h)-1 && heads[at] > 0 {
				at = int(heads[at]) - 1
			}
			if at != int(h)-1 {
				return true
			}
		}
	}
	return false
}

func TestUniversalDependencies(t *testing.T) {
	type counts struct{ sentences, words, multiword, empty, crossing int }
	widest, deepest := 0, 0
	for name, want := range map[string]counts{
		"en_ewt-ud-dev.conllu":  {2001, 25147, 359, 4, 31},
		"en_ewt-ud-test.conllu": {2077, 25094, 354, 2, 26},
		"en_pud-ud-test.conllu": {1000, 21180, 0, 7, 47},
	} {
		path := sharedPath(t, "data", "ud", name)
		sentences, err := ReadCoNLLUFile(path)
		require.NoError(t, err)
		got := counts{sentences: len(sentences)}
		for _, s := range sentences {
			for _, line := range s.Lines {
				switch {
				case line.ID.Empty > 0:
					got.empty++
				case line.ID.First != line.ID.Last:
					got.multiword++
				default:
					got.words++
				}
			}
			tree, err := s.Tree()
			require.NoError(t, err)
			require.NoError(t, tree.Validate())
			deepest = max(deepest, tree.Depth())
			for i := range int32(tree.Len()) {
				widest = max(widest, len(tree.Children(i)))
			}
			assert.Len(t, s.Words(), tree.Len())
			if crosses(headsOf(tree)) {
				got.crossing++
			}
		}
		if name == "en_pud-ud-test.conllu" {
			want.multiword = got.multiword // not published
		}
		assert.Equal(t, want, got, name)

		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, WriteCoNLLU(&out, sentences))
		assert.True(t, bytes.Equal(text, out.Bytes()), "writing gives the file back")
	}
	assert.Equal(t, 12, widest)
	assert.Equal(t, 13, deepest+1, "the published depth counts nodes")
}

func FuzzCoNLLU(f *testing.F) {
	for _, seed := range []string{
		udSentence("# a = b", "1-2 ab _ _", "1 a 0 root", "2 b 1 x", "2.1 e _ _"), udSentence("1 a 1 x"), udSentence("0.1 e _ _", "1 a _ _"),
		"1\ta\t_\t_\t_\t_\t0\t_\t_\t_", "#\r\n\r\n1\t\t\t\t\t\t\t\t\t\n", "\uFEFF# x\n\n", "2-1\t", "1\ta b\t\u00A0\t_\t_\t_\t9\t7\t_\tc d\r\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for s, err := range NewCoNLLUReader(strings.NewReader(text), "").All() {
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			requirePosition(t, s.Pos, text)
			again, err := NewCoNLLUReader(strings.NewReader(s.String()), "").Next()
			require.NoError(t, err)
			require.Equal(t, s.Comments, again.Comments)
			require.Equal(t, s.Lines, again.Lines)
			tree, err := s.Tree()
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			require.NoError(t, tree.Validate())
			require.Len(t, s.Words(), tree.Len())
		}
	})
}
