package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func Example() {
	trees, words, err := corpus(100)
	if err == nil {
		err = compare(os.Stdout, trees, words.Len())
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 245 batches of 36.3 frames, 245 at least; parallelism 37
	// 8893 batches of 1.0 frames, 245 at least; parallelism 37
}

var update = flag.Bool("update", false, "rewrite testdata/plan.txt, from which docs/performance.md quotes")

// The plan that the documentation explains is the one that is executed.
func TestPlan(t *testing.T) {
	const path = "testdata/plan.txt"
	_, words, err := corpus(100)
	require.NoError(t, err)
	got, err := plan(words.Len())
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "the plan has changed: run this test with -update, and see what docs/performance.md says about it")
}

// A trace is JSON, and tells how many rows each batch has; a profile names what costs.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	trace, ops := filepath.Join(dir, "trace.json"), filepath.Join(dir, "ops.pb.gz")
	require.NoError(t, run(io.Discard, trace, ops))

	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	var events []struct {
		Ph   string
		Args struct{ Rows int }
	}
	require.NoError(t, json.Unmarshal(text, &events))
	batches := 0
	for _, e := range events {
		if e.Ph == "X" && e.Args.Rows > 0 {
			batches++
		}
	}
	assert.Greater(t, batches, 100)

	text, err = os.ReadFile(ops)
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(text))
	require.NoError(t, err)
	text, err = io.ReadAll(z)
	require.NoError(t, err)
	for _, word := range []string{"matmul", "gradient of U", "[schedule]", "backward"} {
		assert.Contains(t, string(text), word)
	}
}
