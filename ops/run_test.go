package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// build returns the graph of a function of one value.
func build(f func(x graph.Value) graph.Value, in graph.Type) (*graph.Graph, error) {
	return buildN(func(_ *graph.Module, in []graph.Value) graph.Value { return f(in[0]) }, in)
}

// buildN returns the graph of a function of values.
func buildN(f func(m *graph.Module, in []graph.Value) graph.Value, in ...graph.Type) (*graph.Graph, error) {
	declare := func(out []graph.Value) (*graph.Module, *graph.Graph, graph.Value) {
		m := graph.NewModule("test")
		specs := make([]graph.Value, len(in))
		for i, t := range in {
			specs[i] = graph.Spec(t)
		}
		g := m.Declare("test", specs, out)
		var result graph.Value
		g.Define(nil, func(params []graph.Value) []graph.Value {
			result = f(m, params)
			if out == nil {
				return nil
			}
			return []graph.Value{result}
		})
		return m, g, result
	}
	m, _, result := declare(nil)
	if _, err := m.Build(); err != nil {
		return nil, err
	}
	m, g, _ := declare([]graph.Value{graph.Spec(result.Type())})
	_, err := m.Build()
	return g, err
}

// runBoth evaluates a graph of one operator node by its kernel, as a batch of
// one, and by Eval.
func runBoth(t *testing.T, f func(x graph.Value) graph.Value, x *ops.Tensor) (kernel, eval *ops.Tensor) {
	t.Helper()
	g, err := build(f, x.Type())
	require.NoError(t, err)
	n := g.Results[0].Node()
	op := n.Op.(ops.Op)
	kernel, err = runKernel(op, n.Out[0], x)
	require.NoError(t, err)
	eval, err = op.Eval([]*ops.Tensor{x})
	require.NoError(t, err)
	return kernel, eval
}

// runKernel runs the kernel of an operator on one frame without lists.
func runKernel(op ops.Op, out graph.Type, in ...*ops.Tensor) (*ops.Tensor, error) {
	var types []graph.Type
	b := &ops.Batch{N: 1, Tmp: &ops.Scratch{}}
	for _, x := range in {
		types = append(types, x.Type())
		b.In = append(b.In, ops.Rows{F: narrow(x.F), I: x.I, Stride: x.Len()})
	}
	z := ops.NewTensor(out.DType, out.Shape...)
	b.Out = ops.Rows{F: make([]float32, len(z.F)), I: z.I, Stride: z.Len()}
	if err := op.Lower(types, out).Rows(b); err != nil {
		return nil, err
	}
	for i, v := range b.Out.F {
		z.F[i] = float64(v)
	}
	return z, nil
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// assertFloats compares with a tolerance of float32, taking NaN for equal.
func assertFloats(t *testing.T, want, got []float64, what string) {
	t.Helper()
	if !assert.Len(t, got, len(want), what) {
		return
	}
	for i, w := range want {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			assert.True(t, math.IsNaN(w) && math.IsNaN(got[i]) || w == got[i], "%s: element %d is %v, want %v", what, i, got[i], w)
			continue
		}
		assert.InDelta(t, w, got[i], 1e-6*(1+math.Abs(w)), "%s: element %d", what, i)
	}
}
