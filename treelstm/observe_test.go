package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// functionsOf returns the names in a profile.
func functionsOf(t *testing.T, file string) []string {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	p, err := profile.Parse(f)
	require.NoError(t, err)
	var names []string
	for _, fn := range p.Function {
		names = append(names, fn.Name)
	}
	return names
}

// categoriesOf counts the events of a trace.
func categoriesOf(t *testing.T, file string) map[string]int {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var events []struct{ Cat string }
	require.NoError(t, json.Unmarshal(text, &events))
	n := map[string]int{}
	for _, e := range events {
		n[e.Cat]++
	}
	return n
}

func TestObservedCommands(t *testing.T) {
	data := sentimentData(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	r := treelstm(t, small("-data", data, "-out", in("m.safetensors"), "-epochs=1", "-opprofile", in("train.pb.gz"), "-trace", in("train.json"))...)
	require.Zero(t, r.status, r.err)
	assert.Subset(t, functionsOf(t, in("train.pb.gz")), []string{"treelstm", "subtree", "matmul", "cross_entropy", "[schedule]"})
	events := categoriesOf(t, in("train.json"))
	assert.Positive(t, events["forward"])
	assert.Positive(t, events["backward"])

	r = treelstm(t, "eval", "-model", in("m.safetensors"), "-opprofile", in("eval.pb.gz"), "-trace", in("eval.json"))
	require.Zero(t, r.status, r.err)
	names := functionsOf(t, in("eval.pb.gz"))
	assert.Contains(t, names, "matmul")
	assert.False(t, slices.ContainsFunc(names, func(s string) bool { return s == "sigmoid_grad" }))
	events = categoriesOf(t, in("eval.json"))
	assert.Positive(t, events["forward"])
	assert.Zero(t, events["backward"])
}

// The files are complete although the command fails.
func TestObservedFailure(t *testing.T) {
	dir := t.TempDir()
	trace, profile := filepath.Join(dir, "t.json"), filepath.Join(dir, "p.pb.gz")
	file, data := trained(t)
	require.NoError(t, os.Remove(filepath.Join(data, "test.txt")))
	r := treelstm(t, "eval", "-model", file, "-trace", trace, "-opprofile", profile)
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "test.txt")
	assert.Zero(t, categoriesOf(t, trace)["forward"])
	assert.Empty(t, functionsOf(t, profile))
}

// A place that there is not is reported before anything is trained.
func TestObservedWithoutAPlace(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none", "x")
	for _, name := range []string{"-trace", "-opprofile"} {
		r := treelstm(t, small("-out", filepath.Join(dir, "m.safetensors"), name, none)...)
		assert.Equal(t, exitFailure, r.status)
		assert.Contains(t, r.err, name+": open "+none)
		assert.Empty(t, r.out)
	}
}
