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

func TestConstants(t *testing.T) {
	m := graph.NewModule("test")
	for want, v := range map[string]graph.Value{
		"i32(-3)":                  m.Int(-3),
		"f32(0.1)":                 m.Float(0.1),
		"bool(true)":               m.True(true),
		"bool(false)":              m.True(false),
		"f32[2 2](1 2 3 4)":        m.Floats([]float32{1, 2, 3, 4}, 2, 2),
		"i32[3](-2147483648 0 7)":  m.Ints([]int32{math.MinInt32, 0, 7}, 3),
		"f32[2](1e-30 1e-30)":      m.Full(1e-30, 2),
		"f32[0]()":                 m.Floats(nil, 0),
		"f32[3](NaN +Inf -Inf)":    m.Floats([]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}, 3),
		"f32[2](-0 3.4028235e+38)": m.Floats([]float32{float32(math.Copysign(0, -1)), math.MaxFloat32}, 2),
	} {
		assert.Equal(t, want, v.Node().Op.(*graph.Const).String())
	}
}
