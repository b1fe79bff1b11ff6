package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
)

// forged returns a copy of the state or model in file whose configuration says something else.
func forged(t *testing.T, file string, change func(*config)) string {
	t.Helper()
	m, err := loadModel(file, exec.Options{})
	require.NoError(t, err)
	defer m.session.Close()
	f, err := train.Open(file)
	require.NoError(t, err)
	defer f.Close()
	c := m.config
	change(&c)
	var history json.RawMessage
	require.NoError(t, f.History(&history))
	path := filepath.Join(t.TempDir(), "forged.safetensors")
	require.NoError(t, train.Save(path, &train.Checkpoint{
		Params: m.session.Parameters(), Vocabulary: f.Vocabulary(), Config: c, History: history,
	}))
	return path
}

// allocated returns how many bytes f allocates, those that it frees included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Sizes that a file asks for are compared with what it holds before there is memory for
// them: these would take 4 GB.
func TestSizesThatAFileDoesNotHold(t *testing.T) {
	file, dir := trained(t)
	path := forged(t, file, func(c *config) { c.Hidden, c.Embedding = 8192, 8192 })
	for _, args := range [][]string{
		{"predict", "-model", path, "(3 (2 It) (4 works))"},
		{"eval", "-model", path, "-data", dir},
		{"bench", "-model", path, "-data", dir},
		{"graph", "-model", path},
	} {
		var r result
		bytes := allocated(func() { r = treelstm(t, args...) })
		assert.Less(t, bytes, uint64(64<<20), args[0])
		assert.Equal(t, exitFailure, r.status, args[0])
		assert.Contains(t, r.err, path+": checkpoint does not fit: ", args[0])
		assert.Regexp(t, `variable \S+ is F32\[\d+ 6\] in it, want F32\[\d+ 8192\]`, r.err, args[0])
	}
}

// Some sizes are too large for any program.
func TestSizesThatNoProgramHas(t *testing.T) {
	file, _ := trained(t)
	path := forged(t, file, func(c *config) { c.Hidden, c.Embedding = maxWidth, maxWidth })
	r := treelstm(t, "predict", "-model", path, "(3 (2 It) (4 works))")
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, path+": not a valid checkpoint: its configuration: ")
	assert.Contains(t, r.err, "shape error")
}

// A run that goes on is refused for the same reason.
func TestSizesThatAStateDoesNotHold(t *testing.T) {
	file, dir := trained(t)
	path := forged(t, lastFile(file), func(c *config) { c.Hidden, c.Embedding = 8192, 8192 })
	out := filepath.Join(t.TempDir(), "m.safetensors")
	copyFile(t, path, lastFile(out))
	var r result
	bytes := allocated(func() { r = treelstm(t, "train", "-resume", "-data", dir, "-out", out) })
	assert.Less(t, bytes, uint64(64<<20))
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "checkpoint does not fit: variable")
}

// Who has no model yet learns what was looked for, and how to make one.
func TestNoModelYet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	for _, args := range [][]string{
		{"predict", "-model", path, "[MAX 2 9 ]"},
		{"eval", "-model", path},
		{"bench", "-model", path},
		{"graph", "-model", path},
	} {
		r := treelstm(t, args...)
		assert.Equal(t, exitFailure, r.status, args[0])
		assert.Contains(t, r.err, "opening the model: train: checkpoint: open "+path+": ", args[0])
		assert.Contains(t, r.err, "(treelstm train makes one; -model names its file)", args[0])
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o600))
}
