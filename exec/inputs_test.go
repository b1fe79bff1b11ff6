package exec

import (
	"context"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/stretchr/testify/require"
)

// An error says once that something does not fit, then which value and why, the same
// way wherever the value comes from.
func TestInputErrorsSayItOnce(t *testing.T) {
	type pair struct{ X, Set graph.Value }
	p, g := function(t, pair{graph.F32(3), graph.Bool(2)}, graph.F32(3), func(_ *graph.Module, _ *recursion.SubGraph[pair, graph.Value], in pair) graph.Value {
		return ops.Where(ops.At(in.Set, in.X.Module().Int(0)), in.X, ops.Neg(in.X))
	})
	s := session(t, p, Options{Workers: 1})
	set := Array{Shape: []int{2}, I: []int32{0, 1}}
	for want, in := range map[string][]Array{
		"input 0: input does not fit: 1 values, main takes 2":                         {set},
		"input 0: input does not fit: X: got 2 elements of shape [2], want f32[3]":    {numbers(1, 2), set},
		"input 0: input does not fit: X: wrong kind of elements, want f32[3]":         {integers(1, 2, 3), set},
		"input 0: input does not fit: Set: element 1 of bool[2] is 7, want 0 or 1":    {numbers(1, 2, 3), integers(0, 7)},
		"input 0: input does not fit: Set: got 3 elements of shape [2], want bool[2]": {numbers(1, 2, 3), {Shape: []int{2}, I: []int32{0, 1, 1}}},
		"input 0: input does not fit: Set: got 1 elements of shape [], want bool[2]":  {numbers(1, 2, 3), integer(1)},
		"input 0: input does not fit: X: got 4 elements of shape [2 2], want f32[3]":  {{Shape: []int{2, 2}, F: []float32{1, 2, 3, 4}}, set},
		"input 0: input does not fit: Set: wrong kind of elements, want bool[2]":      {numbers(1, 2, 3), numbers(0, 1)},
	} {
		_, err := s.Run(context.Background(), g, [][]Array{in})
		require.ErrorIs(t, err, ErrInput)
		require.EqualError(t, err, want)
	}
	ok := [][]Array{{numbers(1, 2, 3), set}}
	for want, cts := range map[string][]Array{
		"input 0: input does not fit: cotangent 0: got 1 elements of shape [1], want f32[3]": {numbers(1)},
		"input 0: input does not fit: 2 cotangents, main has 1 results":                      {numbers(1, 2, 3), numbers(1)},
	} {
		_, err := s.Gradients(context.Background(), g, ok, GradOptions{Cotangents: [][]Array{cts}})
		require.ErrorIs(t, err, ErrInput)
		require.EqualError(t, err, want)
	}
}

func TestBoundInputErrorsSayItOnce(t *testing.T) {
	p, f := buildOne(t, graph.F32(3), graph.F32(3), func(x graph.Value) graph.Value { return ops.Tanh(x) })
	s := session(t, p, Options{Workers: 1})
	flat, err := Bind[[]float32, []float32](s, f)
	require.NoError(t, err)
	_, err = flat(context.Background(), []float32{1, 2})
	require.ErrorIs(t, err, ErrInput)
	require.EqualError(t, err, "input 0: input does not fit: value: got 2 elements of shape [2], want f32[3]")
	array, err := Bind[Array, []float32](s, f)
	require.NoError(t, err)
	_, err = array(context.Background(), integers(1, 2, 3))
	require.ErrorIs(t, err, ErrInput)
	require.EqualError(t, err, "input 0: input does not fit: value: wrong kind of elements, want f32[3]")
	_, err = Bind[[]int32, []float32](s, f)
	require.ErrorIs(t, err, ErrInput)
	require.EqualError(t, err, "input does not fit: input value of f: []int32 cannot hold f32[3]")
}
