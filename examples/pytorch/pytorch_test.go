package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/train/safetensors"
)

func setup(t *testing.T) (*safetensors.Reader, expected) {
	r, err := safetensors.NewReader(bytes.NewReader(weights), int64(len(weights)))
	require.NoError(t, err)
	var want expected
	require.NoError(t, json.Unmarshal(expectedJSON, &want))
	require.Len(t, want.Trees, 5)
	return r, want
}

func TestSameNumbers(t *testing.T) {
	r, want := setup(t)
	o, err := compare(r, want)
	require.NoError(t, err)
	t.Logf("%+v", o)
	assert.LessOrEqual(t, o.Logits, tolerance)
	assert.LessOrEqual(t, o.Loss, tolerance)
	assert.LessOrEqual(t, o.Gradients, tolerance)
}

// A wrong order of gates, a forgotten transposition or bias would be noticed: every
// tensor that has an effect is changed in turn.
func TestEveryTensorMatters(t *testing.T) {
	r, want := setup(t)
	for _, changed := range r.Names() {
		var tensors []safetensors.Tensor
		for _, name := range r.Names() {
			info, _ := r.Info(name)
			data := make([]float32, info.Len())
			require.NoError(t, r.ReadF32(name, data))
			if name == changed {
				slices.Reverse(data)
			}
			tensors = append(tensors, safetensors.Of(name, info.Shape, data))
		}
		var b bytes.Buffer
		require.NoError(t, safetensors.Write(&b, tensors, nil))
		again, err := safetensors.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		require.NoError(t, err)
		o, err := compare(again, want)
		require.NoError(t, err)
		if changed == "leaf.weight_hh" { // is multiplied by the zero state
			assert.LessOrEqual(t, o.Logits, tolerance)
		} else {
			assert.Greater(t, o.Logits, 100*tolerance, changed)
		}
	}
}

func TestMissingTensor(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, safetensors.Write(&b, []safetensors.Tensor{
		safetensors.Of("embedding.weight", []int{2, 2}, make([]float32, 4)),
		safetensors.Of("classifier.weight", []int{2, 2}, make([]float32, 4)),
	}, nil))
	r, err := safetensors.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	_, err = compare(r, expected{})
	require.ErrorIs(t, err, safetensors.ErrNotFound)
	assert.ErrorContains(t, err, "leaf.weight_ih")
}

func Example() {
	if err := run(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// bias              F32 [25]
	// classifier.bias   F32 [4]
	// classifier.weight F32 [4 5]
	// embedding.weight  F32 [12 6]
	// leaf.bias_hh      F32 [20]
	// leaf.bias_ih      F32 [20]
	// leaf.weight_hh    F32 [20 5]
	// leaf.weight_ih    F32 [20 6]
	// weight_left       F32 [5 25]
	// weight_right      F32 [5 25]
	// 5 trees: logits, loss and gradients are those of PyTorch 1.13.0a0 within 1e-05
}
