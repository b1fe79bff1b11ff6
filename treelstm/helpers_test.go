package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// result is what a command did.
type result struct {
	status   int
	out, err string
}

// treelstm runs a command line in this process.
func treelstm(t testing.TB, args ...string) result {
	t.Helper()
	return commandWith(t.Context(), "", args...)
}

func commandWith(ctx context.Context, in string, args ...string) result {
	var out, errs bytes.Buffer
	status := run(ctx, args, streams{strings.NewReader(in), &out, &errs})
	return result{status, out.String(), errs.String()}
}

// small are flags for a model that trains in no time.
func small(args ...string) []string {
	return append([]string{"train", "-embedding=6", "-hidden=8", "-batch=8", "-workers=1", "-lr=0.02", "-optimizer=adam"}, args...)
}

// sentiment returns n trees in brackets. A word is good, bad or neutral; a node is as
// good as its left child, unless that is neutral.
func sentiment(seed uint64, n int) string {
	rng := rand.New(rand.NewPCG(seed, 0))
	words := map[int][]string{0: {"bad", "Awful"}, 2: {"the", "film", "is"}, 4: {"good", "Great"}}
	var grow func(leaves int) (string, int)
	grow = func(leaves int) (string, int) {
		if leaves == 1 {
			label := 2 * rng.IntN(3)
			some := words[label]
			return fmt.Sprintf("(%d %s)", label, some[rng.IntN(len(some))]), label
		}
		k := 1 + rng.IntN(leaves-1)
		left, label := grow(k)
		right, other := grow(leaves - k)
		if label == 2 {
			label = other
		}
		return fmt.Sprintf("(%d %s %s)", label, left, right), label
	}
	var b strings.Builder
	for range n {
		tree, _ := grow(2 + rng.IntN(5))
		b.WriteString(tree + "\n")
	}
	return b.String()
}

// write makes a directory with files.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func sentimentData(t testing.TB) string {
	return write(t, map[string]string{"train.txt": sentiment(1, 120), "dev.txt": sentiment(2, 40), "test.txt": sentiment(3, 40)})
}

// trained returns the file of a small model of sentiment, and the directory of its data.
func trained(t testing.TB) (file, dir string) {
	t.Helper()
	dir = sentimentData(t)
	file = filepath.Join(t.TempDir(), "m.safetensors")
	r := treelstm(t, small("-data", dir, "-out", file, "-epochs=6", "-dropout=0", "-min-count=1")...)
	require.Zero(t, r.status, r.err)
	return file, dir
}
