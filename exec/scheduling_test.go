package exec

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/data"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// sstTrees reads trees of the Stanford Sentiment Treebank as inputs of
// treeProgram. It returns the size of their vocabulary.
func sstTrees(t *testing.T) (trees [][]Array, words int) {
	t.Helper()
	dir, err := filepath.Abs("../../shared")
	require.NoError(t, err)
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		t.Skip("the reference data is not beside this repository")
	}
	read, err := data.ReadPTBFile(filepath.Join(dir, "data", "sst", "dev.txt"), data.SSTOptions())
	require.NoError(t, err)
	ids := map[string]int32{}
	for _, tree := range read {
		word := make([]int32, tree.Len())
		for i, w := range tree.Word {
			if _, ok := ids[w]; !ok {
				ids[w] = int32(len(ids))
			}
			word[i] = ids[w]
		}
		trees = append(trees, []Array{integers(word...), integers(tree.Left...), integers(tree.Right...), integers(tree.Label...)})
	}
	return trees, len(ids)
}

// On trees the executor needs no more batches than the longest chains of stages
// demand.
func TestBatchesOfTreebank(t *testing.T) {
	trees, words := sstTrees(t)
	p, g := treeProgram(t, words, 8, 8, 5)
	for _, train := range []bool{false, true} {
		s := session(t, p, Options{Workers: 1, Analyse: true})
		var batches, bound int64
		for from := 0; from < 200; from += 25 {
			s.ResetStats()
			var err error
			if train {
				_, err = s.Gradients(context.Background(), g, trees[from:from+25], GradOptions{})
			} else {
				_, err = s.Run(context.Background(), g, trees[from:from+25])
			}
			require.NoError(t, err)
			st := s.Stats()
			assert.LessOrEqual(t, float64(st.Batches), 1.05*float64(st.LowerBound), "mini-batch at tree %d: %v", from, st)
			assert.LessOrEqual(t, st.LowerBound, st.Batches)
			batches, bound = batches+st.Batches, bound+st.LowerBound
		}
		st := s.Stats()
		t.Logf("train=%t: %d batches, at least %d; of the last mini-batch %.1f rows per batch, %.1f with floats",
			train, batches, bound, st.RowsPerBatch(), st.FloatRowsPerBatch())
		assert.Greater(t, st.FloatRowsPerBatch(), 20.0)
	}
}

type growing struct{ H, Depth graph.Value }

// growProgram grows trees whose shape depends on what is computed: a node's
// state says whether it has children, and what they start with.
func growProgram(t testing.TB, d int) (*graph.Program, *graph.Graph) {
	m := graph.NewModule("grow")
	split := m.Var("split", graph.F32(d), graph.Uniform(1))
	left, right := m.Var("left", graph.F32(d, d), graph.Uniform(1)), m.Var("right", graph.F32(d, d), graph.Uniform(1))
	up := m.Var("up", graph.F32(2*d, d), graph.Xavier())
	node := recursion.Declare(m, "node", growing{graph.F32(d), graph.I32()}, graph.F32(d))
	node.Define(func(n growing) graph.Value {
		grows := ops.And(ops.Greater(ops.Dot(n.H, split), m.Float(0)), ops.Less(n.Depth, m.Int(12)))
		return recursion.If(grows, func() graph.Value {
			below := ops.Add(n.Depth, m.Int(1))
			l := node.Invoke(growing{ops.Tanh(ops.MatMul(n.H, left)), below})
			r := node.Invoke(growing{ops.Tanh(ops.MatMul(n.H, right)), below})
			return ops.Tanh(ops.MatMul(ops.Concat(l, r), up))
		}, func() graph.Value {
			recursion.Loss(ops.Sum(ops.Square(n.H)))
			return n.H
		})
	})
	p, err := m.Build()
	require.NoError(t, err)
	return p, node.Graph()
}

// growInputs are vectors from which growProgram grows different trees.
func growInputs(d, n int) [][]Array {
	rng := rand.New(rand.NewPCG(1, 2))
	inputs := make([][]Array, n)
	for i := range inputs {
		h := make([]float32, d)
		for k := range h {
			h[k] = 2*rng.Float32() - 1
		}
		inputs[i] = []Array{numbers(h...), integer(0)}
	}
	return inputs
}

// Where computed values decide the structure, frames of different inputs and of
// different depths still meet in batches.
func TestBatchesOfDataDependentTrees(t *testing.T) {
	p, g := growProgram(t, 6)
	inputs := growInputs(6, 64)
	for _, train := range []bool{false, true} {
		s := session(t, p, Options{Workers: 1, Analyse: true, Seed: 3})
		r, err := s.Run(context.Background(), g, inputs)
		if train {
			s.ResetStats()
			r, err = s.Gradients(context.Background(), g, inputs, GradOptions{})
		}
		require.NoError(t, err)
		st := s.Stats()
		t.Logf("train=%t: %v", train, st)
		assert.Greater(t, st.FloatRowsPerBatch(), 4.0)
		assert.Greater(t, st.Calls, int64(200), "the trees are too small to tell")
		sizes := map[float64]bool{}
		for _, l := range r.Losses {
			sizes[l] = true
		}
		assert.Greater(t, len(sizes), 32, "the trees are alike")
	}
}
