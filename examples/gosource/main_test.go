package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFirstWord(t *testing.T) {
	for name, want := range map[string]string{
		"ReadAll": "read", "readAll": "read", "read": "read", "Read": "read", "HTTPError": "http", "IsNaN": "is", "A": "a",
		"f": "f", "ID": "id", "UTF8Valid": "utf", "read_all": "read", "_": "_", "éTé": "é", "X1": "x",
	} {
		assert.Equal(t, want, firstWord(name), name)
	}
}

// nested makes packages of functions in which a loop contains a condition, whose names
// begin with "each", and in which it is the other way around, which begin with "when".
// Both have the same terms.
func nested(packages, functions int) fstest.MapFS {
	rng := rand.New(rand.NewPCG(1, 2))
	files := fstest.MapFS{}
	noise := func() string {
		var b strings.Builder
		for range rng.IntN(5) {
			b.WriteString([]string{"f(x);", "x++;", "x = 1;", "f(x, 2);", "y := x;", "g(f(x));"}[rng.IntN(6)])
		}
		return b.String()
	}
	for p := range packages {
		var b strings.Builder
		fmt.Fprintf(&b, "package p%d\n", p)
		for i := range functions {
			word, outer, inner := "each", "for x", "if x"
			if rng.IntN(2) == 0 {
				word, outer, inner = "when", inner, outer
			}
			fmt.Fprintf(&b, "func %sX%d() { %s %s { %s %s { %s }; %s } }\n", word, i, noise(), outer, noise(), inner, noise(), noise())
		}
		files[fmt.Sprintf("p%d/p.go", p)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return files
}

func TestTheNestingIsLearnt(t *testing.T) {
	c := config{seed: 1, under: ".", classes: 2, packages: 2, giant: 60, embed: 16, hidden: 16, rate: 0.01, linearRate: 0.01, epochs: 5}
	corpus, err := read(nested(40, 20), c)
	require.NoError(t, err)
	var out bytes.Buffer
	rows, err := compare(t.Context(), &out, corpus, c)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	for _, r := range rows[:2] {
		assert.Less(t, r.right, 0.65, r.name)
	}
	assert.Greater(t, rows[2].right, 0.95)
	assert.Contains(t, out.String(), "gradient in")
}

func TestSeedStandsForItsResults(t *testing.T) {
	c := config{seed: 1, under: ".", classes: 2, packages: 2, giant: 1000, embed: 8, hidden: 8, dropout: 0.5, rate: 0.01, linearRate: 0.01, epochs: 2}
	corpus, err := read(nested(20, 5), c)
	require.NoError(t, err)
	first, err := compare(t.Context(), io.Discard, corpus, c)
	require.NoError(t, err)
	again, err := compare(t.Context(), io.Discard, corpus, c)
	require.NoError(t, err)
	assert.Equal(t, first, again)
}

// The sets share neither packages nor functions.
func TestCorpusOfRealSource(t *testing.T) {
	fsys, err := source("")
	if err != nil {
		t.Skip("the source of Go is not installed:", err)
	}
	var out bytes.Buffer
	c := quick(1)
	c.epochs = 1
	require.NoError(t, run(t.Context(), &out, fsys, c))
	assert.Regexp(t, `(?s)words of the test that are told:\nalways .*%\ncounts .*%\nChild-Sum Tree-LSTM .*%\n$`, out.String())

	net, err := fs.Sub(fsys, c.under)
	require.NoError(t, err)
	corpus, err := read(net, c)
	require.NoError(t, err)
	require.Len(t, corpus.classes, c.classes)
	packages, trees := map[string]int{}, map[string]bool{}
	for set, examples := range [][]example{corpus.train, corpus.dev, corpus.test} {
		require.NotEmpty(t, examples)
		for _, e := range examples {
			file, _, _ := strings.Cut(e.name, ":")
			dir := path.Dir(file)
			if in, ok := packages[dir]; ok {
				require.Equal(t, in, set, dir)
			}
			packages[dir] = set
			require.True(t, set == 0 || !trees[e.key()], e.name)
			if set == 0 {
				trees[e.key()] = true
			}
			name := e.name[strings.LastIndex(e.name, " ")+1:]
			require.Equal(t, corpus.classes[e.Class], firstWord(name))
			require.NotContains(t, corpus.terms.Word(e.Tree.Word[len(e.Tree.Word)-1]), name)
		}
	}
	assert.GreaterOrEqual(t, len(corpus.giants), 1)
}

func TestErrors(t *testing.T) {
	_, err := source(path.Join(t.TempDir(), "absent"))
	require.Error(t, err)
	c := config{under: ".", classes: 2, packages: 2}
	require.ErrorContains(t, run(t.Context(), io.Discard, fstest.MapFS{}, c), "found 0 functions to train on")
	broken := fstest.MapFS{"p/p.go": &fstest.MapFile{Data: []byte("package p\nfunc (")}}
	require.ErrorContains(t, run(t.Context(), io.Discard, broken, c), "p/p.go:2:")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c = quick(1)
	c.under = "."
	require.ErrorIs(t, run(ctx, io.Discard, nested(40, 5), c), context.Canceled)
}
