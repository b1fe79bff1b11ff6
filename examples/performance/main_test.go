package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func Example() {
	if err := show(os.Stdout, "", ""); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 245 batches of 36.3 frames, 245 at least; 2370 kernel calls; parallelism 37
	// 8893 batches of 1.0 frames, 245 at least; 60232 kernel calls; parallelism 37
	// subtree.then: 13 words per frame
	//   stage subtree.then/0 (leaf)
	//     shared by frames with equal r2
	//     r2 = at r0 r1
	//     check bounds r2 16
	//     t0 = matmul E[r2] Wᵀ + bW
	//     s6+ = sigmoid t0
	//     s7+ = sigmoid t0@64
	//     s8+ = tanh t0@128
	//     s5+ = mul s6+ s8+
	//     s9+ = tanh s5+
	//     s0+ = mul s7+ s9+
	//     r3 = names of s0+
	//     r4 = names of s5+
	//     return
	//     backward, with r2 on the tape
	//       t1 = mul ds0+ s9+
	//       t2 = mul ds0+ s7+
	//       t3 = tanh_grad t2 s9+
	//       ds5+ = add t3
	//       t4 = mul ds5+ s8+
	//       t5 = mul ds5+ s6+
	//       dY2@128 = tanh_grad t5 s8+
	//       dY2@64 = sigmoid_grad t1 s7+
	//       dY2 = sigmoid_grad t4 s6+
	//       sum rows dY2 into the gradient of bW
	//       t6 = matmul dY2 W
	//       keep for product E[r2] 2
	//       add table rows t6 r2 into the gradient of E
}

// A trace is JSON, and tells how many rows each batch has; a profile names what costs.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	trace, ops := filepath.Join(dir, "trace.json"), filepath.Join(dir, "ops.pb.gz")
	require.NoError(t, show(io.Discard, trace, ops))

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
