package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
)

func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// length: 7
	// fib(18) = 2584: 8361 invocations in 53 batches
	// (1 ( not) (0 bad)) has the children [-1 -1 0] [-1 -1 1]
	// epoch 1: loss 6.8, accuracy 74%
	// epoch 2: loss 1.1, accuracy 89%
	// epoch 3: loss 0.4, accuracy 94%
	// epoch 4: loss 0.2, accuracy 97%
	// epoch 5: loss 0.1, accuracy 97%
	// epoch 6: loss 0.1, accuracy 98%
	// value: 4
	// mistakes.go:28: matvec: shape error: w f32[8 16], x f32[8]: want f32 w [h d], x [d] or [? d]
	// mistakes.go:29: sigmoid: element type error: x bool[8]: not defined for bool
	// input 0: model -> subtree x2 -> subtree.then: at (model.go:29): index out of range: index 10, 10 elements
	// input 0: model -> subtree x999 -> subtree.else: recursion too deep: more than 1000 calls on one path
}

// The words of leaves are known, labels are digits, and no test tree is trained on.
func TestCorpus(t *testing.T) {
	trainSet, testSet, v, err := corpus(300, 100)
	require.NoError(t, err)
	seen := map[string]bool{}
	for i, set := range [][]tree{trainSet, testSet} {
		for _, tr := range set {
			for k, left := range tr.Left {
				if left < 0 {
					assert.Greater(t, tr.Word[k], int32(0), "0 is the unknown word")
					assert.Less(t, int(tr.Word[k]), v.Len())
				}
			}
			assert.Contains(t, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, tr.Label[len(tr.Label)-1])
			key := fmt.Sprint(tr)
			assert.False(t, seen[key] && i == 1, "%s is trained on", key)
			seen[key] = true
		}
	}
}

func TestWrongModel(t *testing.T) {
	_, err := wrongModel().Build()
	assert.ErrorIs(t, err, graph.ErrShape)
	assert.ErrorIs(t, err, graph.ErrDType)
}
