package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// events is a document as the tokens of encoding/json would describe it.
func events(t *Tree) []string {
	var out []string
	type visit struct {
		node   int32
		closer string
	}
	stack := []visit{{node: t.Root()}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.closer != "" {
			out = append(out, v.closer)
			continue
		}
		switch t.Tag[v.node] {
		case JSONObject:
			out = append(out, "{")
			stack = append(stack, visit{closer: "}"})
		case JSONArray:
			out = append(out, "[")
			stack = append(stack, visit{closer: "]"})
		case JSONKey, JSONString:
			out = append(out, fmt.Sprintf("%q", t.Word[v.node]))
		case JSONNull:
			out = append(out, "null")
		default:
			out = append(out, t.Word[v.node])
		}
		children := t.Children(v.node)
		for i := len(children) - 1; i >= 0; i-- {
			stack = append(stack, visit{node: children[i]})
		}
	}
	return out
}

// decoderEvents is what encoding/json finds in the text of one document.
func decoderEvents(t *testing.T, text string) []string {
	var out []string
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err, "%q", text)
		switch v := token.(type) {
		case string:
			out = append(out, fmt.Sprintf("%q", v))
		case nil:
			out = append(out, "null")
		default:
			out = append(out, fmt.Sprint(v))
		}
	}
}

// readJSON returns the documents of text in bracket form, and the errors.
func readJSON(text string, o JSONOptions) (documents, errs []string) {
	for tree, err := range NewJSONReader(strings.NewReader(text), "f", o).All() {
		if err != nil {
			errs = append(errs, err.Error())
		} else {
			documents = append(documents, tree.String())
		}
	}
	return documents, errs
}

var jsonSeeds = []string{
	`{"a": [1, -2.5e+3, true, false, null, "x"], "b": {}, "c": [], "": {"a": "a"}}`,
	`"plain"`, `""`, `-0`, `12`, `null`, "\t[ ] \r\n", `{"a":1,"a":2}`, `[[[[]]],{}]`, `[0.1,1e5,1E-5,100]`,
	`"\"\\\/\b\f\n\r\t\u00e9\u20AC\ud834\udd1e\ud834x\udd1e\ud834\ud834\udd1e\ud834\n\ud834"`, `"né 🌳"`, `"\u0000"`,
	`[1,]`, `{"a":}`, `{"a" 1}`, `{a:1}`, `{,}`, `[1 2]`, `01`, `1.`, `.5`, `+1`, `1e`, `-`, `--1`, `truefalse`, `nul`,
	`"a`, `"\x"`, `"\u12"`, `"\u12G4"`, "\"\x01\"", "\"a\nb\"", "\"\xff\"", "\"\xe2\x82", `]`, `}`, `{"a":1]`, `[1}`, `{"a":{"b":[`,
	"{}\n{}", `{}{}`, `[][]"a"1`, "\uFEFF{}", "{\uFEFF}", "{} x\n[1]", "'a'", "/* */ 1", "\x00", "1\x00",
}

func TestJSONAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range jsonSeeds {
		requireAgreesWithEncodingJSON(t, text)
	}
}

// requireAgreesWithEncodingJSON checks that text is one document to both or to none.
func requireAgreesWithEncodingJSON(t *testing.T, text string) {
	t.Helper()
	var trees []*Tree
	failed := false
	for tree, err := range NewJSONReader(strings.NewReader(text), "", JSONOptions{}).All() {
		if err != nil {
			failed = true
			requireInside(t, err, text)
			continue
		}
		require.NoError(t, tree.Validate())
		requirePosition(t, tree.Pos, text)
		trees = append(trees, tree)
	}
	one := len(trees) == 1 && !failed
	text = strings.TrimPrefix(text, byteOrderMark)
	require.Equal(t, json.Valid([]byte(text)) && utf8.ValidString(text), one, "%q", text)
	if one {
		require.Equal(t, decoderEvents(t, text), events(trees[0]), "%q", text)
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range jsonSeeds {
		f.Add(seed, byte(0))
		f.Add(seed, byte(0xFF))
	}
	f.Fuzz(func(t *testing.T, text string, limits byte) {
		requireAgreesWithEncodingJSON(t, text)
		o := JSONOptions{Lines: limits&1 != 0, MaxDepth: int(limits >> 1 & 7), MaxBytes: int(limits >> 4)}
		for tree, err := range NewJSONReader(iotest.OneByteReader(strings.NewReader(text)), "", o).All() {
			if err != nil {
				requireInside(t, err, text)
				continue
			}
			require.NoError(t, tree.Validate())
			requirePosition(t, tree.Pos, text)
		}
	})
}

func TestJSONNodes(t *testing.T) {
	const text = ` {"name": "Ada", "born": [1815, 12.0, null], "x": {"y": true}}`
	tree, err := NewJSONReader(strings.NewReader(text), "f", JSONOptions{}).Next()
	require.NoError(t, err)
	assert.Equal(t, "(object (key name (string Ada)) (key born (array (number 1815) (number 12.0) (null))) "+
		"(key x (object (key y (bool true)))))", tree.String())
	assert.Equal(t, Position{"f", 1, 2}, tree.Pos)
	for i := range tree.Len() {
		assert.Equal(t, NoLabel, tree.Label[i])
	}
}

func TestJSONErrors(t *testing.T) {
	tests := []struct {
		text string
		o    JSONOptions
		want string
	}{
		{"[1,\n  2,]", JSONOptions{}, `f:2:5: expected a value, found ']'`},
		{"[1 2]", JSONOptions{}, `f:1:4: expected ',' or ']', found "2"`},
		{`{"a":1 "b":2}`, JSONOptions{}, `f:1:8: expected ',' or '}', found '"'`},
		{`{"a",1}`, JSONOptions{}, `f:1:5: expected ':' after the key, found ','`},
		{`{"a":1,}`, JSONOptions{}, `f:1:8: expected a key, found '}'`},
		{`{a:1}`, JSONOptions{}, `f:1:2: expected a key or '}', found "a"`},
		{`[`, JSONOptions{}, `f:1:2: expected a value or ']', found the end of the input (the document begins at 1:1)`},
		{`[01]`, JSONOptions{}, `f:1:2: expected a value or ']', found "01"`},
		{`[1,nil]`, JSONOptions{}, `f:1:4: expected a value, found "nil"`},
		{"[\u00A0]", JSONOptions{}, `f:1:2: expected a value or ']', found byte 0xC2`},
		{`["a\qb"]`, JSONOptions{}, `f:1:4: expected an escape of JSON, found "\\q"`},
		{`["\u12z4"]`, JSONOptions{}, `f:1:3: expected \u and four hexadecimal digits, found "\\u12z4"`},
		{"[\"a\tb\"]", JSONOptions{}, `f:1:4: expected an escape such as \u0009 in a string, found byte 0x09`},
		{"[\"a\nb\"]", JSONOptions{}, `f:1:2: expected '"' to close this string, found the end of the line`},
		{`["ab`, JSONOptions{}, `f:1:2: expected '"' to close this string, found the end of the input`},
		{"[\"a\xFFb\"]", JSONOptions{}, `f:1:4: expected UTF-8 text, found byte 0xFF`},
		{"{\"a\":\n1}", JSONOptions{Lines: true}, `f:1:6: expected a value, found the end of the line`},
		{"{} {}", JSONOptions{Lines: true}, `f:1:4: expected the end of the line after the document, found '{'`},
		{`[[[]]]`, JSONOptions{MaxDepth: 2}, `f:1:3: expected at most 2 nested objects and arrays, found one more`},
		{"\n [1, 2]", JSONOptions{MaxBytes: 5}, `f:2:2: expected a document of at most 5 bytes, found a longer one`},
	}
	for _, test := range tests {
		_, err := NewJSONReader(strings.NewReader(test.text), "f", test.o).Next()
		assert.EqualError(t, err, test.want, "%q", test.text)
		require.ErrorIs(t, err, ErrSyntax)
		assert.Equal(t, test.o.MaxDepth+test.o.MaxBytes > 0, errors.Is(err, ErrLimit))
	}
}

func TestJSONGoesOnAfterErrors(t *testing.T) {
	tests := []struct {
		name, text      string
		o               JSONOptions
		documents, errs int
	}{
		{"lines", "1\n[2\n\n {\"a\"} 5\r\n\"b\" \n x y z\n{}", JSONOptions{Lines: true}, 3, 3},
		{"a bracket on the next line", "[1]\n{\"a\": [\n{}\n[]", JSONOptions{}, 2, 1},
		{"over indented lines", "{\n  \"a\": oops,\n  \"b\": {},\n  \"c\": [1]\n}\n{}", JSONOptions{}, 1, 1},
		{"a long document", "[0]\n[1, 2, 3, 4]\n[5]", JSONOptions{MaxBytes: 5}, 2, 1},
		{"the first line only", "} {\n{}", JSONOptions{}, 1, 1},
	}
	for _, test := range tests {
		documents, errs := readJSON(test.text, test.o)
		assert.Len(t, documents, test.documents, "%s: %v", test.name, documents)
		assert.Len(t, errs, test.errs, "%s: %v", test.name, errs)
	}
}

func TestJSONOptionsAndInputErrorsAreFinal(t *testing.T) {
	for _, o := range []JSONOptions{{MaxDepth: -1}, {MaxBytes: -1}, {MaxBytes: 1 << 30}} {
		r := NewJSONReader(strings.NewReader("1"), "f", o)
		for range 2 {
			_, err := r.Next()
			require.ErrorIs(t, err, ErrOption)
		}
	}
	broken := errors.New("broken")
	for _, text := range []string{"", " ", "[", "[1", `["a`, `["\`, `["\ud834`, "[\"\xe2", "[1]", "x"} {
		r := NewJSONReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), "f", JSONOptions{})
		var last error
		for _, last = range r.All() {
		}
		require.ErrorIs(t, last, broken, "%q", text)
		require.ErrorContains(t, last, "data: reading f: ")
	}
}

// Text of every length crosses the buffer's end somewhere.
func TestJSONAcrossBuffers(t *testing.T) {
	for _, text := range []string{`"\ud834\udd1e€\n"`, `-12.5e+10`, `{"ключ": [true, null]}`} {
		for pad := windowSize - len(text); pad <= windowSize; pad++ {
			long := `["` + strings.Repeat("x", pad-4) + `",` + text + `]`
			tree, err := NewJSONReader(strings.NewReader(long), "", JSONOptions{}).Next()
			require.NoError(t, err)
			require.Equal(t, decoderEvents(t, long), events(tree))
		}
	}
}

func TestJSONDeepAndLong(t *testing.T) {
	const deep = 1 << 20
	tree, err := NewJSONReader(strings.NewReader(strings.Repeat("[", deep)+strings.Repeat("]", deep)), "", JSONOptions{}).Next()
	require.NoError(t, err)
	assert.Equal(t, deep-1, tree.Depth())
	_, errs := readJSON(strings.Repeat(`{"a":`, deep+1), JSONOptions{})
	require.Len(t, errs, 1)
	assert.Contains(t, errs[0], "expected at most 1048576 nested objects and arrays")
}

// repeat reads the same text over and over.
type repeat struct {
	text string
	at   int
	left int
}

func (r *repeat) Read(b []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), r.left)], r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	r.left -= n
	return n, nil
}

// The memory of a reader depends on its limit, not on the input.
func TestJSONMemoryIsBounded(t *testing.T) {
	const input, limit = 2 << 20, 1 << 14
	for _, text := range []string{"[", "[0,", "1", `{"a":`, "x ", "é", `\u0000`} {
		start := ""
		if strings.Trim(text, `é\u0`) == "" {
			start = `["` // a string
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in := io.MultiReader(strings.NewReader(start), &repeat{text: text, left: input})
		r := NewJSONReader(in, "", JSONOptions{MaxBytes: limit})
		for _, err := range r.All() {
			require.ErrorIs(t, err, ErrSyntax)
		}
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*limit), "%q", text)
	}
}

func TestReadJSONFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"a\":1}\n{\"a\":}\n[2]\n"), 0o600))
	trees, err := ReadJSONFile(path, JSONOptions{Lines: true})
	assert.Len(t, trees, 2)
	require.ErrorIs(t, err, ErrSyntax)
	assert.ErrorContains(t, err, path+":2:6: expected a value, found '}'")

	trees, report, err := ReadJSONFileLenient(path, JSONOptions{Lines: true})
	require.NoError(t, err)
	assert.Len(t, trees, 2)
	assert.Equal(t, 2, report.Trees)
	assert.Equal(t, 1, report.Skipped)

	require.NoError(t, os.WriteFile(path, []byte(" \n"), 0o600))
	_, err = ReadJSONFile(path, JSONOptions{})
	require.ErrorIs(t, err, ErrEmpty)
	_, _, err = ReadJSONFileLenient(path, JSONOptions{})
	require.ErrorIs(t, err, ErrEmpty)
	_, err = ReadJSONFile(path+"x", JSONOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// The pairs of SNLI in the fixture are objects in lines.
func TestJSONOfSNLI(t *testing.T) {
	documents, err := ReadJSONFile(sharedPath(t, "data", "messy", "snli", "test_snli_20.jsonl"), JSONOptions{Lines: true})
	require.NoError(t, err)
	assert.Len(t, documents, 20)
	for _, d := range documents {
		assert.Equal(t, JSONObject, d.Tag[d.Root()])
		assert.Contains(t, d.Word, "sentence1_binary_parse")
	}
}

func BenchmarkJSONReader(b *testing.B) {
	line := `{"id": 1234567, "user": {"name": "Ada Lovelace", "tags": ["a", "b"], "ok": true}, "score": 0.25}` + "\n"
	text := strings.Repeat(line, 10000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range NewJSONReader(strings.NewReader(text), "", JSONOptions{Lines: true}).All() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
