package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSNLI(t *testing.T) {
	path := sharedPath(t, "data", "messy", "snli", "test_snli_20.jsonl")
	pairs, err := ReadSNLIFile(path)
	require.NoError(t, err)
	require.Len(t, pairs, 20)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte{'\n'}) {
		var object map[string]any
		require.NoError(t, json.Unmarshal(line, &object))
		p := pairs[i]
		require.NoError(t, p.A.Validate())
		require.True(t, p.A.Binary() && p.B.Binary())
		assert.Equal(t, Position{path, i + 1, 1}, p.A.Pos)
		assert.Equal(t, object["sentence1_binary_parse"], string(p.A.AppendUnlabelled(nil)))
		assert.Equal(t, object["sentence2_binary_parse"], string(p.B.AppendUnlabelled(nil)))
		assert.Equal(t, object["gold_label"], []string{"entailment", "neutral", "contradiction"}[p.Label])

		// The other parse of the sentence, whose unary nodes and labels differ, has the
		// same words.
		full, err := NewPTBReader(strings.NewReader(object["sentence1_parse"].(string)), "", PTBOptions{}).Next()
		require.NoError(t, err)
		assert.Equal(t, full.Words(), p.A.Words())
	}
}

func TestSNLIRejects(t *testing.T) {
	const good = `{"gold_label": "-", "sentence1_binary_parse": "( \u0061 b )", "sentence2_binary_parse": "c"}`
	tests := []struct{ line, want string }{
		{`{"gold_label": "-"`, "f:1:18: expected a JSON object with two sentences: unexpected end of JSON input"},
		{`[]`, "f:1:1: expected a JSON object with two sentences: json: cannot unmarshal array"},
		{`{}`, "f:1:1: expected the key gold_label, found none"},
		{`{"gold_label": "yes"}`, `f:1:1: expected entailment, neutral, contradiction or '-' as gold_label, found "yes"`},
		{`{"gold_label": "-", "sentence1_binary_parse": "a"}`, "f:1:1: expected the key sentence2_binary_parse, found none"},
		{strings.Replace(good, "c", "( c", 1), "f:1:1: expected"},
		{strings.Replace(good, `"c"`, `"( c ("`, 1), "f:1:1: sentence2_binary_parse, byte 6: expected 2 more ')', found the end of the field"},
		{strings.Replace(good, `"c"`, `"( c c c )"`, 1), "f:1:1: sentence2_binary_parse, byte 1: expected a node with two subtrees, found one with 3"},
		{strings.Replace(good, `"c"`, "\"\xFF\"", 1), "f:1:90: expected UTF-8 text, found byte 0xFF"},
		{"", "f:1:1: expected a JSON object with two sentences: unexpected end of JSON input"},
	}
	for _, test := range tests {
		t.Run(test.line, func(t *testing.T) {
			r := NewSNLIReader(strings.NewReader(test.line+"\n"+good+"\r\n"), "f")
			_, err := r.Next()
			assert.ErrorContains(t, err, test.want)
			assert.ErrorIs(t, err, ErrSyntax)
			p, err := r.Next()
			require.NoError(t, err, "the next line is read all the same")
			assert.Equal(t, "( a b )", string(p.A.AppendUnlabelled(nil)))
			assert.Equal(t, NoLabel, p.Label)
		})
	}
	broken := errors.New("disk on fire")
	r := NewSNLIReader(iotest.ErrReader(broken), "f")
	for range 2 {
		_, err := r.Next()
		assert.ErrorIs(t, err, broken)
	}
	_, err := ReadSNLIFile(filepath.Join(t.TempDir(), "missing"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func FuzzSNLI(f *testing.F) {
	for _, seed := range []string{
		`{"gold_label": "-", "sentence1_binary_parse": "( \u0061 b )", "sentence2_binary_parse": "c"}`,
		`{"gold_label": "neutral", "sentence1_binary_parse": "(", "sentence2_binary_parse": ""}`, `{"gold_label": 3}`, "null\n[[[[", "{}\r\n\xFF",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for p, err := range NewSNLIReader(strings.NewReader(text), "").All() {
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			for _, tree := range []*Tree{p.A, p.B} {
				require.NoError(t, tree.Validate())
				requirePosition(t, tree.Pos, text)
			}
		}
	})
}
