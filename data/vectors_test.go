package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readVectors returns the words and vectors of an input as text, and the errors.
func readVectors(input string, o VectorOptions) (vectors, errs []string) {
	for w, err := range NewVectorReader(strings.NewReader(input), "f", o).All() {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			vectors = append(vectors, fmt.Sprint(w.Word, " ", w.Vector))
		}
	}
	return vectors, errs
}

// binaryFile is a file as the program word2vec writes it.
func binaryFile(header string, records ...any) string {
	var out bytes.Buffer
	out.WriteString(header)
	for _, r := range records {
		switch r := r.(type) {
		case string:
			out.WriteString(r)
		case []float32:
			binary.Write(&out, binary.LittleEndian, r)
		}
	}
	return out.String()
}

func TestVectorReader(t *testing.T) {
	bin := VectorOptions{Format: VectorBinary}
	tests := []struct {
		name, input string
		o           VectorOptions
		want        []string
	}{
		{"nothing", "", VectorOptions{}, nil},
		{"GloVe", "the 0.5 -1\n, 2e-1 3\n", VectorOptions{}, []string{"the [0.5 -1]", ", [0.2 3]"}},
		{"word2vec and fastText text", "2 2\n</s> 1 2 \na 3 4 \n", VectorOptions{}, []string{"</s> [1 2]", "a [3 4]"}},
		{"tabs, CRLF, byte order mark, no final newline", "\uFEFF1 2\r\na\t1\t2", VectorOptions{}, []string{"a [1 2]"}},
		{"words with blanks", ". . . 1 2\nat name@domain.com 3 4\n", VectorOptions{}, []string{". . . [1 2]", "at name@domain.com [3 4]"}},
		{"words that are numbers", "5 1 2\n1.5 3 4\nnan 5 6\n", VectorOptions{}, []string{"5 [1 2]", "1.5 [3 4]", "nan [5 6]"}},
		{"no-break space is a word", "\u00A0 1 2\na\u00A0b 3 4\n", VectorOptions{}, []string{"\u00A0 [1 2]", "a\u00A0b [3 4]"}},
		{"the first words", "3 1\na 1\nb 2\nc 3\n", VectorOptions{MaxWords: 2}, []string{"a [1]", "b [2]"}},
		{"wanted words", "a 1\nb 2\nc x\n", VectorOptions{Keep: func(w string) bool { return w == "b" }}, []string{"b [2]"}},
		{"binary", binaryFile("2 2\n", "a ", []float32{1, 2}, "\n", "b ", []float32{3, 4}, "\n"), bin, []string{"a [1 2]", "b [3 4]"}},
		{"binary without newlines", binaryFile("2 1\n", "a ", []float32{1}, "b ", []float32{2}), bin, []string{"a [1]", "b [2]"}},
		{"no words in binary", "0 5\n", bin, nil},
		{"binary, first words", binaryFile("9 1\n", "a ", []float32{1}), VectorOptions{Format: VectorBinary, MaxWords: 1}, []string{"a [1]"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			vectors, errs := readVectors(test.input, test.o)
			assert.Empty(t, errs)
			assert.Equal(t, test.want, vectors)
		})
	}
}

func TestVectorReaderRejects(t *testing.T) {
	bin := VectorOptions{Format: VectorBinary}
	nan := float32(math.NaN())
	tests := []struct {
		name, input string
		o           VectorOptions
		want        []string // what is read all the same
		errs        []string
	}{
		{"too short", "a 1 2\nb 3\nc 4 5\n", VectorOptions{}, []string{"a [1 2]", "c [4 5]"},
			[]string{"f:2:1: expected a word and 2 numbers, found 2 fields"}},
		{"too long", "a 1 2\nb 3 4 5\n", VectorOptions{}, []string{"a [1 2]"},
			[]string{`f:2:3: expected a word and 2 numbers, found one more number "3"`}},
		{"empty line", "a 1 2\n\nb 3 4\n", VectorOptions{}, []string{"a [1 2]", "b [3 4]"},
			[]string{"f:2:1: expected a word and 2 numbers, found 0 fields"}},
		{"no word", "a 1 2\n 3 4\n", VectorOptions{}, []string{"a [1 2]"},
			[]string{"f:2:1: expected a word before the 2 numbers, found none"}},
		{"not a number", "a 1 2\nb 3 x\n", VectorOptions{}, []string{"a [1 2]"},
			[]string{`f:2:5: expected a finite float32 as element 2 of 2, found "x"`}},
		{"not finite", "a 1 2\nb NaN 4\nc 3 -Inf\nd 1e39 2\n", VectorOptions{}, []string{"a [1 2]"}, []string{
			`f:2:3: expected a finite float32 as element 1 of 2, found "NaN"`,
			`f:3:5: expected a finite float32 as element 2 of 2, found "-Inf"`,
			`f:4:3: expected a finite float32 as element 1 of 2, found "1e39"`,
		}},
		{"no numbers at all", "hello world\na 1\n", VectorOptions{}, []string{"a [1]"},
			[]string{`f:1:1: expected a word and its numbers, found "hello world"`}},
		{"not UTF-8", "a\xFF 1 2\n", VectorOptions{}, nil, []string{"f:1:2: expected UTF-8 text, found byte 0xFF"}},
		{"header of another dimension", "2 300\na 1\n", VectorOptions{Dim: 50}, nil,
			[]string{"f:1:1: expected vectors of 50 elements, found a header with 300"}},
		{"header too large", "2 99999\na 1\n", VectorOptions{}, nil,
			[]string{"f:1:1: expected vectors of at most 16384 elements, found a header with 99999"}},
		{"fewer words than declared", "3 1\na 1\nb x\n", VectorOptions{}, []string{"a [1]"},
			[]string{`f:3:3: expected a finite float32 as element 1 of 1, found "x"`, "f:4:1: expected 3 words, as the header says, found 2"}},
		{"more words than declared", "1 1\na 1\nb 2\n", VectorOptions{}, []string{"a [1]", "b [2]"},
			[]string{"f:4:1: expected 1 words, as the header says, found 2"}},
		{"another dimension than asked for", "a 1 2\n", VectorOptions{Dim: 3}, nil,
			[]string{"f:1:1: expected a word and 3 numbers, found 3 fields"}},

		{"text for binary", "the 0.1 0.2\n", bin, nil,
			[]string{`f:1:1: expected a line with the number of words and of elements, found "the 0.1 0.2"`}},
		{"empty binary", "", bin, nil, []string{`f:1:1: expected a line with the number of words and of elements, found ""`}},
		{"binary of another dimension", "1 2\n", VectorOptions{Format: VectorBinary, Dim: 3}, nil,
			[]string{"f:1:1: expected vectors of 3 elements, found a header with 2"}},
		{"binary cut in a vector", binaryFile("2 2\n", "a ", []float32{1, 2}, "b ", []float32{3}), bin, []string{"a [1 2]"},
			[]string{`f:3:1: expected 8 bytes, the 2 elements of "b", found the end of the input after 4`}},
		{"binary cut in a word", binaryFile("2 1\n", "a ", []float32{1}, "b"), bin, []string{"a [1]"},
			[]string{"f:3:1: expected word 2 of 2, found the end of the input"}},
		{"binary goes on", binaryFile("1 1\n", "a ", []float32{1}, "\n", "b ", []float32{2}), bin, []string{"a [1]"},
			[]string{"f:3:1: expected the end of the input after 1 words, as the header says, found byte 0x62"}},
		{"binary not finite", binaryFile("2 1\n", "a ", []float32{nan}, "b ", []float32{2}), bin, []string{"b [2]"},
			[]string{`f:2:1: expected a finite float32 as element 1 of 1 of "a", found NaN`}},
		{"binary without a word", binaryFile("2 1\n", " ", []float32{1}, "b ", []float32{2}), bin, []string{"b [2]"},
			[]string{"f:2:1: expected a word before 1 elements, found none"}},
		{"binary without a blank", "2 1\n" + strings.Repeat("x", 1<<17), bin, nil,
			[]string{"f:2:1: expected a blank within 65536 bytes of the beginning of a word, found none"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			vectors, errs := readVectors(test.input, test.o)
			assert.Equal(t, test.errs, errs)
			assert.Equal(t, test.want, vectors)
		})
	}
}

func TestVectorReaderLimitsAndOptions(t *testing.T) {
	_, err := NewVectorReader(strings.NewReader("a"+strings.Repeat(" 1", MaxVectorDim+1)), "", VectorOptions{}).Next()
	assert.ErrorIs(t, err, ErrLimit)

	for _, o := range []VectorOptions{{Format: 2}, {Dim: -1}, {Dim: MaxVectorDim + 1}, {MaxWords: -1}} {
		_, err := NewVectorReader(strings.NewReader("a 1"), "", o).Next()
		assert.ErrorIs(t, err, ErrOption)
	}

	broken := errors.New("disk on fire")
	for format, text := range map[VectorFormat]string{VectorText: "a 1\n", VectorBinary: "2 1\na \x00\x00\x00\x00"} {
		r := NewVectorReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), "f", VectorOptions{Format: format})
		_, err = r.Next()
		require.NoError(t, err)
		for range 2 {
			_, err = r.Next()
			assert.ErrorIs(t, err, broken)
			assert.EqualError(t, err, "data: reading f: disk on fire")
		}
	}
}

// The bits of the numbers are those that another parser finds.
func TestPublishedVectors(t *testing.T) {
	for name, want := range map[string][2]int{
		"glove.6B.50d.subset5050.txt": {5050, 50}, "glove.twitter.25d.subset11925.txt": {11925, 25},
	} {
		path := sharedPath(t, "data", "vectors", name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := slices.Collect(strings.Lines(string(text)))
		n := 0
		for w, err := range NewVectorReader(bytes.NewReader(text), path, VectorOptions{}).All() {
			require.NoError(t, err)
			require.Equal(t, Position{path, n + 1, 1}, w.Pos)
			if n%97 == 0 {
				fields := strings.Fields(lines[n])
				require.Equal(t, fields[0], w.Word)
				for i, f := range fields[1:] {
					x, err := strconv.ParseFloat(f, 64)
					require.NoError(t, err)
					require.Equal(t, float32(x), w.Vector[i])
				}
			}
			require.Len(t, w.Vector, want[1])
			n++
		}
		assert.Equal(t, want[0], n)

		few := NewVectorReader(bytes.NewReader(text), path, VectorOptions{Keep: func(w string) bool { return w == "the" }})
		kept, report, err := Collect(few.All())
		require.NoError(t, err)
		require.NoError(t, report.Err())
		assert.Len(t, kept, 1)
		assert.Equal(t, want[0], few.Words(), "words that are not wanted count")
	}
}

func BenchmarkVectorReader(b *testing.B) {
	text, err := os.ReadFile(sharedPath(b, "data", "vectors", "glove.6B.50d.subset5050.txt"))
	require.NoError(b, err)
	for name, o := range map[string]VectorOptions{"all": {}, "none": {Keep: func(string) bool { return false }}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for range b.N {
				for _, err := range NewVectorReader(bytes.NewReader(text), "", o).All() {
					require.NoError(b, err)
				}
			}
		})
	}
}
