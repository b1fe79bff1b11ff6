package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
	"github.com/frondml/frond/recursion"
)

// The suite compares kernels with reference semantics, and gradient rules with
// differences, in batches and layouts of many kinds.
func TestConformance(t *testing.T) {
	for _, in := range []graph.Type{
		graph.T(graph.Float32, 1),
		graph.T(graph.Float32, 7),
		graph.T(graph.Float32, 2, 3, 4),
		graph.T(graph.Float32, graph.Any, 5),
		graph.T(graph.Float32, graph.Any),
	} {
		optest.Run(t, optest.Case{
			Name:     fmt.Sprint("sparsemax", in),
			In:       []graph.Type{in},
			Build:    func(_ *graph.Module, in []graph.Value) graph.Value { return Sparsemax(in[0]) },
			Lengths:  [][]int{{0}, {1}, {3}, {12}},
			Registry: Registry(),
		})
	}
}

// The values of a distribution over two elements, worked out by hand: sparsemax of
// (t, 0) is ((t+1)/2, (1-t)/2), clipped to 0 and 1.
func TestTwoElements(t *testing.T) {
	for _, x := range []float64{-3, -1, -0.5, 0, 0.25, 1, 4} {
		got, err := optest.Kernel(sparsemaxOp{}, []graph.Type{graph.T(graph.Float32, 2)}, []*ops.Tensor{optest.F(optest.Dims(2), x, 0)})
		require.NoError(t, err)
		p := min(max((x+1)/2, 0), 1)
		assert.InDeltaSlice(t, []float64{p, 1 - p}, got[0].F, 1e-6, "x = %v", x)
	}
}

// The nearest point of the simplex is nearer than any other, whatever the length.
func TestNearestPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const d = 6
	for range 50 {
		x, other := make([]float64, d), make([]float64, d)
		total := 0.0
		for i := range x {
			x[i], other[i] = rng.NormFloat64(), rng.ExpFloat64()
			total += other[i]
		}
		got, err := optest.Kernel(sparsemaxOp{}, []graph.Type{graph.T(graph.Float32, d)}, []*ops.Tensor{optest.F(optest.Dims(d), x...)})
		require.NoError(t, err)
		sum, near, far := 0.0, 0.0, 0.0
		for i, p := range got[0].F {
			assert.GreaterOrEqual(t, p, 0.0)
			sum += p
			near += (p - x[i]) * (p - x[i])
			far += (other[i]/total - x[i]) * (other[i]/total - x[i])
		}
		assert.InDelta(t, 1, sum, 1e-6)
		assert.LessOrEqual(t, near, far+1e-6)
	}
}

// A printed program is read back when the registry knows our operators, too.
func TestParse(t *testing.T) {
	m := graph.NewModule("printed")
	attention(m)
	program, err := m.Build()
	require.NoError(t, err)
	registry := recursion.Registry()
	for name, newOp := range Registry() {
		registry[name] = func(attrs []graph.Attr, _ []*graph.Graph) (graph.Op, error) { return newOp(attrs) }
	}
	again, err := graph.Parse(strings.NewReader(program.String()), registry)
	require.NoError(t, err)
	assert.Equal(t, program.String(), again.String())
	assert.Equal(t, program.GradientString(), again.GradientString())
}

func TestMistakesNameTheCaller(t *testing.T) {
	m := graph.NewModule("wrong")
	g := m.Declare("g", []graph.Value{graph.F32(), graph.I32(3)}, nil)
	g.Define(nil, func(in []graph.Value) []graph.Value {
		Sparsemax(in[0])
		Sparsemax(in[1])
		return nil
	})
	_, err := m.Build()
	require.ErrorIs(t, err, graph.ErrShape)
	require.ErrorIs(t, err, graph.ErrDType)
	assert.Regexp(t, `^sparsemax_test\.go:\d+: sparsemax: .*f32 has no axis`, err.Error())
}

func Example() {
	if err := run(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// scores [1.0 0.8 0.1]
	//   softmax   [0.45 0.37 0.18]
	//   sparsemax [0.60 0.40 0.00]
	//   gradient  [-0.50 0.50 0.00]
	// scores [3.0 0.0 -1.0 0.5]
	//   softmax   [0.87 0.04 0.02 0.07]
	//   sparsemax [1.00 0.00 0.00 0.00]
	//   gradient  [0.00 0.00 0.00 0.00]
	// scores [0.0 0.0]
	//   softmax   [0.50 0.50]
	//   sparsemax [0.50 0.50]
	//   gradient  [-0.50 0.50]
	// rows per batch: 3
}
