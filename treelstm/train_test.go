package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/train/safetensors"
)

var epochLine = regexp.MustCompile(`(?m)^epoch (\d+)/(\d+)  loss [\d.]+  \d+ trees/s  \d+ rows/batch  dev: loss [\d.]+  root ([\d.]+)%  nodes ([\d.]+)%(  binary root [\d.]+%  nodes [\d.]+%)?(  best)?$`)

// Without any data the program learns, and the files it leaves serve the other commands.
func TestTrainOnListOps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.safetensors")
	r := treelstm(t, small("-examples=400", "-epochs=2", "-out", file)...)
	require.Zero(t, r.status, r.err)
	lines := epochLine.FindAllStringSubmatch(r.out, -1)
	require.Len(t, lines, 2, r.out)
	nodes, err := strconv.ParseFloat(lines[1][4], 64)
	require.NoError(t, err)
	assert.Greater(t, nodes, 50.0)
	assert.Empty(t, lines[0][5], "ListOps has no sentiment")
	assert.Contains(t, r.out, "400 trees")
	assert.Contains(t, r.out, "kept in "+file)

	r = treelstm(t, "eval", "-model", file)
	require.Zero(t, r.status, r.err)
	assert.Regexp(t, `ListOps, to test with: 1000 trees`, r.out)
	assert.Regexp(t, `(?m)^loss [\d.]+  root [\d.]+%  nodes [\d.]+%  \d+ trees/s$`, r.out)
	assert.Contains(t, r.out, `label\predicted`)

	r = treelstm(t, "predict", "-model", file, "[MAX 2 9 ]")
	require.Zero(t, r.status, r.err)
	assert.Regexp(t, `(?m)9  \[MAX 2 9 \]$`, r.out, "the label is the answer")
}

func TestTrainOnTreebank(t *testing.T) {
	file, dir := trained(t)
	r := treelstm(t, "eval", "-model", file)
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, filepath.Join(dir, "test.txt")+": 40 trees")
	found := regexp.MustCompile(`root ([\d.]+)%  nodes ([\d.]+)%  binary root ([\d.]+)%  nodes ([\d.]+)%`).FindStringSubmatch(r.out)
	require.NotNil(t, found, r.out)
	root, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	assert.Greater(t, root, 80.0)

	// The same trees, named otherwise.
	again := treelstm(t, "eval", "-model", file, "-data", dir)
	assert.Contains(t, again.out, found[0])
	again = treelstm(t, "eval", "-model", file, "-data", filepath.Join(dir, "test.txt"))
	assert.Contains(t, again.out, found[0])
	again = treelstm(t, "eval", "-model", file, "-split=dev")
	assert.Contains(t, again.out, "dev.txt")
}

func TestSameSeedSameModel(t *testing.T) {
	dir := sentimentData(t)
	model := func(seed string) []byte {
		file := filepath.Join(t.TempDir(), "m.safetensors")
		r := treelstm(t, small("-data", dir, "-epochs=2", "-out", file, "-seed", seed)...)
		require.Zero(t, r.status, r.err)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		return content
	}
	assert.Equal(t, model("3"), model("3"))
	assert.NotEqual(t, model("3"), model("4"))
}

// interrupt is a context that is canceled when it was asked so many times.
type interrupt struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func interruptAfter(ctx context.Context, calls int64) *interrupt {
	ctx, cancel := context.WithCancel(ctx)
	i := &interrupt{Context: ctx, cancel: cancel}
	i.left.Store(calls)
	return i
}

func (i *interrupt) Err() error {
	if i.left.Add(-1) <= 0 {
		i.cancel()
	}
	return i.Context.Err()
}

// Ctrl-C anywhere, then -resume, gives the files of a run that was left alone, bit for
// bit; dropout, shuffling and all.
func TestInterruptAndResume(t *testing.T) {
	dir := sentimentData(t)
	args := func(out string, more ...string) []string {
		return append(small("-data", dir, "-epochs=3", "-dropout=0.3", "-out", out), more...)
	}
	whole := filepath.Join(t.TempDir(), "m.safetensors")
	r := treelstm(t, args(whole)...)
	require.Zero(t, r.status, r.err)

	file := filepath.Join(t.TempDir(), "m.safetensors")
	interruptions := 0
	for calls := int64(300); ; calls += 200 {
		var resume []string
		if interruptions > 0 {
			resume = []string{"-resume"}
		}
		r := commandWith(interruptAfter(t.Context(), calls), "", args(file, resume...)...)
		if r.status == exitOK {
			break
		}
		require.Equal(t, exitInterrupted, r.status, r.err)
		require.Regexp(t, `(?m)^treelstm: interrupted in epoch \d+ after \d+ of 120 trees; saved to .*m\.last\.safetensors`, r.err)
		interruptions++
	}
	require.Greater(t, interruptions, 1, "nothing was interrupted: the test tests nothing")
	for _, of := range []func(string) string{func(s string) string { return s }, lastFile} {
		want, err := os.ReadFile(of(whole))
		require.NoError(t, err)
		got, err := os.ReadFile(of(file))
		require.NoError(t, err)
		assert.Equal(t, want, got, "%d interruptions", interruptions)
	}
}

// Ctrl-C at the start must not replace an earlier model.
func TestInterruptBeforeTheFirstStep(t *testing.T) {
	file, dir := trained(t)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := commandWith(ctx, "", small("-data", dir, "-out", file)...)
	assert.Equal(t, exitInterrupted, r.status)
	assert.Contains(t, r.err, "nothing was saved")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, before, after)
}

func TestResumeWithOtherSettings(t *testing.T) {
	file, dir := trained(t)
	r := treelstm(t, "train", "-resume", "-out", file, "-epochs=8", "-lr=0.001")
	require.Zero(t, r.status, r.err)
	lines := epochLine.FindAllStringSubmatch(r.out, -1)
	require.Len(t, lines, 2, "six of eight epochs were done")
	assert.Equal(t, "7", lines[0][1])
	assert.Contains(t, r.out, "adam, learning rate 0.001")
	assert.Contains(t, r.out, "embedding 6, hidden 8")

	r = treelstm(t, "train", "-resume", "-out", file, "-hidden=9", "-optimizer=sgd", "-seed=2", "-lower=false")
	assert.Equal(t, exitFailure, r.status)
	for _, want := range []string{"trained with -hidden=8, not 9", "-optimizer=adam, not sgd", "-seed=1, not 2", "-lower=true, not false"} {
		assert.Contains(t, r.err, want)
	}

	other := write(t, map[string]string{"train.txt": "(3 (2 Something) (3 else))\n", "dev.txt": sentiment(2, 3)})
	r = treelstm(t, "train", "-resume", "-out", file, "-data", other)
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "it was trained with 8 words, the training set gives 3: missing are 7 (awful, bad, film, good, great, ...), new are 2 (else, something)")
	assert.DirExists(t, dir)
}

// Broken trees are named by file, line and column, all of them.
func TestBrokenData(t *testing.T) {
	for name, c := range map[string]struct {
		train string
		want  []string
	}{
		"labels": {"(3 (2 a) (7 b))\n(3 (2 a) (3 b))\n(x (2 a) (3 b))\n", []string{"train.txt:1:11", "train.txt:3:2"}},
		"shape":  {"(3 (2 a) (2 b) (2 c))\n(3 (2 a)\n", []string{"train.txt:1:1: expected a node with two subtrees", "train.txt:2:1"}},
		"empty":  {"", []string{"train.txt", "found none"}},
	} {
		dir := write(t, map[string]string{"train.txt": c.train, "dev.txt": sentiment(2, 3)})
		r := treelstm(t, small("-data", dir, "-out", filepath.Join(dir, "m.safetensors"))...)
		assert.Equal(t, exitFailure, r.status, name)
		for _, want := range c.want {
			assert.Contains(t, r.err, want, name)
		}
	}
}

func TestLenient(t *testing.T) {
	dir := write(t, map[string]string{"train.txt": sentiment(1, 20) + "(3 (2 a) (7 b))\n" + sentiment(2, 20), "dev.txt": sentiment(2, 3)})
	out := filepath.Join(dir, "m.safetensors")
	require.Equal(t, exitFailure, treelstm(t, small("-data", dir, "-out", out, "-epochs=1")...).status)
	r := treelstm(t, small("-data", dir, "-out", out, "-epochs=1", "-lenient")...)
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.err, "skipped 1 broken tree of 41")
	assert.Contains(t, r.err, "train.txt:21:")
	assert.Contains(t, r.out, "train.txt: 40 trees")
	assert.Contains(t, treelstm(t, "eval", "-model", out, "-data", write(t, map[string]string{"test.txt": "(2 the)"})).out, "test.txt: 1 tree, 1 node, ")
}

// When nothing is left of a file it is said why.
func TestLenientWithNothingButBrokenTrees(t *testing.T) {
	dir := write(t, map[string]string{"train.txt": "(3 (2 a) (7 b))\n(x (2 a) (3 b))\n", "dev.txt": sentiment(2, 3)})
	r := treelstm(t, small("-data", dir, "-out", filepath.Join(dir, "m.safetensors"), "-lenient")...)
	assert.Equal(t, exitFailure, r.status)
	for _, want := range []string{"skipped 2 broken trees of 2", "train.txt:1:11", "train.txt:2:2", "found none"} {
		assert.Contains(t, r.err, want)
	}
}

// A directory in the place of a file is found before training, not after.
func TestOutIsADirectory(t *testing.T) {
	for _, name := range []string{"m.safetensors", "m.last.safetensors"} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		r := treelstm(t, small("-examples=8", "-epochs=1", "-out", filepath.Join(dir, "m.safetensors"))...)
		assert.Equal(t, exitFailure, r.status)
		assert.Contains(t, r.err, filepath.Join(dir, name)+" is a directory")
		assert.Empty(t, r.out, "nothing was begun")
	}
}

func TestModelsThatAreNone(t *testing.T) {
	file, _ := trained(t)
	good, err := os.ReadFile(file)
	require.NoError(t, err)
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.safetensors")
	require.NoError(t, safetensors.WriteFile(foreign, []safetensors.Tensor{safetensors.Of("E", []int{1}, []float32{1})}, nil))
	damaged := filepath.Join(dir, "damaged.safetensors")
	bad := append([]byte{}, good...)
	bad[len(bad)-9] ^= 1
	require.NoError(t, os.WriteFile(damaged, bad, 0o600))
	cut := filepath.Join(dir, "cut.safetensors")
	require.NoError(t, os.WriteFile(cut, good[:len(good)/2], 0o600))
	for path, want := range map[string]string{foreign: "a safetensors file of another program", damaged: "damaged", cut: "not a valid checkpoint"} {
		for _, name := range []string{"eval", "predict"} {
			r := treelstm(t, name, "-model", path)
			assert.Equal(t, exitFailure, r.status)
			assert.Contains(t, r.err, path)
			assert.Contains(t, r.err, want)
		}
	}
	r := treelstm(t, "train", "-resume", "-out", filepath.Join(dir, "damaged.safetensors"))
	assert.Contains(t, r.err, "there is nothing to resume")
}
