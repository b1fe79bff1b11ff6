package reference_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// build builds a module and returns its graph called main.
func build(t *testing.T, define func(m *graph.Module)) *graph.Graph {
	t.Helper()
	m := graph.NewModule(t.Name())
	define(m)
	p, err := m.Build()
	require.NoError(t, err)
	g := p.Graph("main")
	require.NotNil(t, g)
	return g
}

// function builds a module around one recursive function called main.
func function[In, Out any](t *testing.T, in In, out Out, body func(self *recursion.SubGraph[In, Out], in In) Out) *graph.Graph {
	t.Helper()
	return build(t, func(m *graph.Module) {
		f := recursion.Declare(m, "main", in, out)
		f.Define(func(in In) Out { return body(f, in) })
	})
}

func run(t *testing.T, g *graph.Graph, in ...*ops.Tensor) *reference.Result {
	t.Helper()
	r, err := reference.Run(context.Background(), reference.Options{}, reference.Request{Graph: g, Inputs: in})
	require.NoError(t, err)
	return r
}

func fail(t *testing.T, o reference.Options, r reference.Request) error {
	t.Helper()
	res, err := reference.Run(context.Background(), o, r)
	require.Error(t, err)
	require.Nil(t, res)
	return err
}

// sameTensor compares type and elements; it does not tell a nil shape from an
// empty one.
func sameTensor(t *testing.T, want, got *ops.Tensor) {
	t.Helper()
	require.Equal(t, want.String(), got.String())
}

func floats(shape []int, elems ...float64) *ops.Tensor {
	return &ops.Tensor{DType: graph.Float32, Shape: shape, F: elems}
}

func ints(elems ...int32) *ops.Tensor {
	return &ops.Tensor{DType: graph.Int32, Shape: []int{len(elems)}, I: elems}
}

func integer(i int32) *ops.Tensor { return &ops.Tensor{DType: graph.Int32, I: []int32{i}} }

func scalar(f float64) *ops.Tensor { return floats(nil, f) }

// random fills tensors with numbers that no two elements share.
func random(rng *rand.Rand, shape ...int) *ops.Tensor {
	x := ops.NewTensor(graph.Float32, shape...)
	for i := range x.F {
		x.F[i] = 2*rng.Float64() - 1
	}
	return x
}

// checkGradients compares the gradients of a request, whose objective is its loss
// plus the results weighted by its cotangents, with central differences.
func checkGradients(t *testing.T, r reference.Request) *reference.Result {
	t.Helper()
	r.Grad = true
	result, err := reference.Run(context.Background(), reference.Options{}, r)
	require.NoError(t, err)
	objective := func() float64 {
		forward := r
		forward.Grad = false
		out, err := reference.Run(context.Background(), reference.Options{}, forward)
		require.NoError(t, err)
		sum := out.Loss
		for i, ct := range r.Cotangents {
			if ct != nil {
				for j, f := range out.Results[i].F {
					sum += ct.F[j] * f
				}
			}
		}
		return sum
	}
	check := func(what string, x, grad *ops.Tensor) {
		require.Equal(t, x.Shape, grad.Shape, what)
		for j, at := range x.F {
			const step = 1e-5
			x.F[j] = at + step
			up := objective()
			x.F[j] = at - step
			down := objective()
			x.F[j] = at
			require.InDelta(t, (up-down)/(2*step), grad.F[j], 1e-7, "%s, element %d", what, j)
		}
	}
	for i, x := range r.Inputs {
		if x.DType.IsFloat() {
			check(r.Graph.Params[i].Type().String(), x, result.InputGrads[i])
		} else {
			require.Nil(t, result.InputGrads[i])
		}
	}
	for v, x := range r.Vars {
		if v.Frozen {
			require.NotContains(t, result.VarGrads, v)
		} else {
			check("variable "+v.Name, x, result.VarGrads[v])
		}
	}
	return result
}
