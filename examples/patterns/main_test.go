package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

func Example() {
	if err := run(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// structural: [{6 2} {4 0}], 8 invocations in 9 batches
	// any arity: [137], 10 invocations in 9 batches
	// dispatch: [1.5], 8 invocations in 12 batches
	// mutual: [4], 16 invocations in 11 batches
	// decisions: [0.66664344 4.6666617], 18 invocations in 20 batches
	// loop: [12 1 3], 12 invocations in 9 batches
	// tail call: [12 1 3], 9 invocations in 8 batches
	// fold: [39], 5 invocations in 9 batches
	// unfolded: [4096], 8192 invocations in 39 batches
	// once: [4096], 15 invocations in 56 batches
	// inherited: nodes [0 1 2 3 4] have the depths [1 1 2 1 0]
}

// randomTree has n nodes, children before their parents.
func randomTree(rng *rand.Rand, n int) tree {
	children := make([][]int32, n)
	for i := range n - 1 {
		parent := i + 1 + rng.IntN(min(n-1-i, 4))
		children[parent] = append(children[parent], int32(i))
	}
	t := tree{Value: make([]float32, n), Start: []int32{0}}
	for i, c := range children {
		t.Value[i] = float32(rng.IntN(100))
		t.Child = append(t.Child, c...)
		t.Start = append(t.Start, int32(len(t.Child)))
	}
	return t
}

func (t tree) children(i int32) []int32 { return t.Child[t.Start[i]:t.Start[i+1]] }

func (t tree) minimax(i int32, ours bool) float32 {
	children := t.children(i)
	if len(children) == 0 {
		return t.Value[i]
	}
	values := make([]float32, len(children))
	for k, c := range children {
		values[k] = t.minimax(c, !ours)
	}
	if ours {
		return slices.Max(values)
	}
	return slices.Min(values)
}

func TestTreesOfAnyArity(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	trees := make([]tree, 30)
	sums, values := make([]float32, len(trees)), make([]float32, len(trees))
	for i := range trees {
		trees[i] = randomTree(rng, 1+rng.IntN(40))
		for _, v := range trees[i].Value {
			sums[i] += v
		}
		values[i] = trees[i].minimax(int32(len(trees[i].Value)-1), true)
	}
	got, _, err := call[float32](total, trees...)
	require.NoError(t, err)
	assert.Equal(t, sums, got)
	got, _, err = call[float32](minimax, trees...)
	require.NoError(t, err)
	assert.Equal(t, values, got)
}

// gradients returns the gradients of a pattern's result with respect to its inputs.
func gradients[In, I any](t *testing.T, build func(*graph.Module) *recursion.SubGraph[I, graph.Value], in In) []exec.Array {
	m := graph.NewModule("gradient")
	f := build(m)
	program, err := m.Build()
	require.NoError(t, err)
	session, err := exec.New(program, exec.Options{})
	require.NoError(t, err)
	defer session.Close()
	encode, err := exec.Encoder[In](f)
	require.NoError(t, err)
	input, err := encode(in)
	require.NoError(t, err)
	one := [][]exec.Array{{{F: []float32{1}}}}
	r, err := session.Gradients(context.Background(), f.Graph(), [][]exec.Array{input}, exec.GradOptions{Cotangents: one})
	require.NoError(t, err)
	return r.InputGrads[0]
}

// The derivative of an integral with respect to its upper limit is the integrand.
func TestGradientThroughDecisions(t *testing.T) {
	g := gradients(t, integrate, interval{A: 1, B: 4})
	assert.InDelta(t, -1, g[0].F[0], 1e-3)
	assert.InDelta(t, 2, g[1].F[0], 1e-3)
	out, _, err := call[float32](integrate, interval{A: 0, B: 1}, interval{A: 1, B: 4})
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float32{2. / 3, 14. / 3}, out, 1e-4)
}

// The leaf of a ladder with n steps is used 2^n times.
func TestGradientOfSharedParts(t *testing.T) {
	const n = 10
	for _, build := range []func(*graph.Module) *recursion.SubGraph[BinaryTree, graph.Value]{unfolded, once} {
		assert.EqualValues(t, math.Exp2(n), gradients(t, build, ladder(n))[0].F[0])
	}
}

// A loop takes as much memory for many iterations as for few, written either way.
func TestTailCallsReuseTheirFrame(t *testing.T) {
	for _, build := range []func(*graph.Module) *recursion.SubGraph[Pair, graph.Value]{gcd, gcdByTailCall} {
		// Consecutive Fibonacci numbers need the most steps.
		few, short, err := call[int](build, pair{5, 3})
		require.NoError(t, err)
		many, long, err := call[int](build, pair{1836311903, 1134903170})
		require.NoError(t, err)
		assert.Equal(t, few, many)
		assert.Greater(t, long.Calls, 5*short.Calls)
		assert.Equal(t, short.PeakBytes, long.PeakBytes)
	}
}

func TestHorner(t *testing.T) {
	out, _, err := call[float32](horner, polynomial{nil, 3}, polynomial{[]float32{7}, 3}, polynomial{[]float32{1, 0, 0, 1}, -2})
	require.NoError(t, err)
	assert.Equal(t, []float32{0, 7, -7}, out)
}
