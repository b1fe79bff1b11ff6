package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
)

// initial returns the first elements of a variable of a module of its own.
func initial(t *testing.T, name string, seed uint64, init graph.Init, dims ...int) []float32 {
	t.Helper()
	m := graph.NewModule("test")
	return m.Var(name, graph.F32(dims...), init).Variable().InitialValue(seed)
}

func TestInitialValuesDependOnSeedAndNameAlone(t *testing.T) {
	a := initial(t, "a", 1, graph.Uniform(1), 100)
	assert.Equal(t, a, initial(t, "a", 1, graph.Uniform(1), 100))
	assert.NotEqual(t, a, initial(t, "a", 2, graph.Uniform(1), 100))
	assert.NotEqual(t, a, initial(t, "b", 1, graph.Uniform(1), 100))

	m := graph.NewModule("test")
	m.Var("before", graph.F32(10), graph.Uniform(1))
	assert.Equal(t, a, m.Var("a", graph.F32(100), graph.Uniform(1)).Variable().InitialValue(1))
}

func TestInitialisers(t *testing.T) {
	const n = 20000
	moments := func(x []float32) (mean, deviation, largest float64) {
		for _, f := range x {
			mean += float64(f) / n
			deviation += float64(f) * float64(f) / n
			largest = max(largest, math.Abs(float64(f)))
		}
		return mean, math.Sqrt(deviation - mean*mean), largest
	}
	mean, deviation, largest := moments(initial(t, "w", 1, graph.Uniform(0.5), n))
	assert.InDelta(t, 0, mean, 0.01)
	assert.InDelta(t, 0.5/math.Sqrt(3), deviation, 0.005)
	assert.InDelta(t, 0.5, largest, 0.001)

	mean, deviation, _ = moments(initial(t, "w", 1, graph.Normal(2), n))
	assert.InDelta(t, 0, mean, 0.05)
	assert.InDelta(t, 2, deviation, 0.05)

	bound := math.Sqrt(6.0 / (100 + 200))
	_, _, largest = moments(initial(t, "w", 1, graph.Xavier(), 100, 200))
	assert.InDelta(t, bound, largest, 0.001)
	assert.Less(t, largest, bound)

	assert.Equal(t, []float32{0, 0}, initial(t, "w", 1, graph.Zeros(), 2))
	assert.Equal(t, []float32{7}, initial(t, "w", 1, graph.Constant(7)))
}

func TestOrthogonal(t *testing.T) {
	for _, dims := range [][]int{{1, 1}, {5, 5}, {3, 7}, {7, 3}, {2, 4, 4}, {2, 3, 5, 2}, {6}, {}, {80, 80}} {
		rows, columns := 1, 1
		if n := len(dims); n > 0 {
			columns = dims[n-1]
			if n > 1 {
				rows = dims[n-2]
			}
		}
		all := initial(t, "w", 1, graph.Orthogonal(), dims...)
		assert.Equal(t, all, initial(t, "w", 1, graph.Orthogonal(), dims...))
		for from := 0; from < len(all); from += rows * columns {
			w := all[from : from+rows*columns]
			assertOrthonormal(t, w, rows, columns)
			if from > 0 {
				assert.NotEqual(t, all[:rows*columns], w, "matrices are drawn by themselves")
			}
		}
	}
}

// assertOrthonormal checks w wᵀ or wᵀ w, whichever is smaller, against the unit matrix.
func assertOrthonormal(t *testing.T, w []float32, rows, columns int) {
	t.Helper()
	at := func(i, k int) float64 { return float64(w[i*columns+k]) }
	n, length := rows, columns
	if rows > columns {
		n, length = columns, rows
		at = func(i, k int) float64 { return float64(w[k*columns+i]) }
	}
	for i := range n {
		for j := range n {
			want, dot := 0.0, 0.0
			if i == j {
				want = 1
			}
			for k := range length {
				dot += at(i, k) * at(j, k)
			}
			assert.InDelta(t, want, dot, 1e-6, "%d and %d of [%d %d]", i, j, rows, columns)
		}
	}
}

// The trace of a matrix from the uniform distribution over orthogonal matrices has mean
// 0 and variance 1 in two dimensions or more.
func TestOrthogonalIsUniform(t *testing.T) {
	const n, samples = 3, 4000
	mean, square := 0.0, 0.0
	for seed := range uint64(samples) {
		w := initial(t, "w", seed, graph.Orthogonal(), n, n)
		trace := 0.0
		for i := range n {
			trace += float64(w[i*n+i])
		}
		mean += trace / samples
		square += trace * trace / samples
	}
	assert.InDelta(t, 0, mean, 0.08)
	assert.InDelta(t, 1, square-mean*mean, 0.1)
}
