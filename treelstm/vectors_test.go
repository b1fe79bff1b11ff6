package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
)

const vectorText = "good 1 2 3\nfilm -1 -2 -3\nunseen 9 9 9\n"

func TestWordVectors(t *testing.T) {
	dir := write(t, map[string]string{
		"train.txt": "(3 (2 good) (2 the))\n(1 (2 Film) (2 the))\n(0 (2 -LRB-) (2 rare))\n(0 (2 bad) (2 bad))\n",
		"dev.txt":   "(3 (2 good) (2 unseen))\n", "v.txt": vectorText + "( 4 5 6\n",
	})
	vectors, out := filepath.Join(dir, "v.txt"), filepath.Join(dir, "m.safetensors")
	r := treelstm(t, small("-data", dir, "-out", out, "-vectors", vectors, "-embedding=0", "-epochs=1", "-lr=0")...)
	require.Zero(t, r.status, r.err)
	// Words that occur once are known only if they have a vector.
	assert.Contains(t, r.out, vectors+": 3 elements; vectors for 3 of 6 words")
	assert.Contains(t, r.out, "train.txt: without a vector: 3 of 6 types (50.00%), 5 of 8 tokens (62.50%)")
	assert.Contains(t, r.out, "dev.txt: without a vector: 1 of 2 types (50.00%), 1 of 2 tokens (50.00%)")
	assert.Contains(t, r.out, "embedding 3, hidden 8")

	m, err := loadModel(out, exec.Options{})
	require.NoError(t, err)
	defer m.session.Close()
	params := m.session.Parameters()
	rows := params.Value(params.Program().Variables[0])
	row := func(word string) []float32 { return rows[3*m.vocabulary.ID(word):][:3] }
	assert.Equal(t, []float32{1, 2, 3}, row("Good"), "nothing was learnt, so it is what the file says")
	assert.Equal(t, []float32{-1, -2, -3}, row("film"))
	assert.Equal(t, []float32{4, 5, 6}, row("-lrb-"))
	assert.Equal(t, row("rare"), row("unseen"))
	assert.NotEqual(t, row("bad"), row("the"))
}

// The vectors decide which words there are, so that a run goes on with the same.
func TestWordVectorsOfAResumedRun(t *testing.T) {
	dir := sentimentData(t)
	vectors := filepath.Join(write(t, map[string]string{"v.txt": vectorText}), "v.txt")
	out := filepath.Join(dir, "m.safetensors")
	r := treelstm(t, small("-data", dir, "-out", out, "-vectors", vectors, "-embedding=0", "-epochs=1", "-min-count=100")...)
	require.Zero(t, r.status, r.err)
	r = treelstm(t, "train", "-resume", "-out", out, "-epochs=2")
	require.Zero(t, r.status, r.err)

	r = treelstm(t, "train", "-resume", "-out", out, "-epochs=3", "-vectors="+filepath.Join(dir, "none"))
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "no such file")
	require.NoError(t, os.WriteFile(vectors, []byte("bad 1 2 3\n"), 0o600))
	r = treelstm(t, "train", "-resume", "-out", out, "-epochs=3")
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "missing are 2 (film, good), new are 1 (bad)")
}

func TestWrongWordVectors(t *testing.T) {
	data := sentimentData(t)
	for name, c := range map[string]struct {
		text string
		args []string
		want []string
	}{
		"dimension":  {vectorText, []string{"-embedding=300"}, []string{"v.txt: vectors have 3 elements, -embedding wants 300"}},
		"ragged":     {"good 1 2 3\nbad 1 2\n", nil, []string{"-vectors: ", "v.txt:2:1: expected a word and 3 numbers, found 3 fields"}},
		"not finite": {"good 1 NaN 3\n", nil, []string{"v.txt:1:"}},
		"twice":      {vectorText + "good 1 1 1\n", nil, []string{"v.txt:4:1", "good", "line 1"}},
		"empty":      {"", nil, []string{"v.txt", "found none"}},
		"treernn":    {vectorText, []string{"-model=treernn", "-hidden=8"}, []string{"-hidden 8: in treernn word vectors, which have 3 elements, are states; want as many"}},
	} {
		dir := write(t, map[string]string{"v.txt": c.text})
		args := append([]string{"-data", data, "-out", filepath.Join(dir, "m.safetensors"), "-vectors", filepath.Join(dir, "v.txt"), "-embedding=0"}, c.args...)
		r := treelstm(t, small(args...)...)
		assert.Equal(t, exitFailure, r.status, name)
		for _, want := range c.want {
			assert.Contains(t, r.err, want, name)
		}
		assert.LessOrEqual(t, strings.Count(r.err, "\n"), 4, name)
	}
}
