package train

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// nonzero counts the elements that are not zero; NaN is one.
func nonzero(x []float32) int {
	n := 0
	for _, f := range x {
		if f != 0 {
			n++
		}
	}
	return n
}

// The padding of matrices that do not lie row-major stays zero: in values, gradients
// and all that an optimiser remembers. Elsewhere training changes every element.
func TestPaddingStaysZero(t *testing.T) {
	const in, out = 20, 10
	m := graph.NewModule("padding")
	w := m.Var("w", graph.F32(in, out), graph.Xavier())
	f := recursion.Declare(m, "f", graph.F32(in), graph.F32(out))
	f.Define(func(x graph.Value) graph.Value {
		y := ops.Tanh(ops.MatMul(x, w))
		recursion.Loss(ops.Sum(ops.Square(ops.AddScalar(y, -0.5))))
		return y
	})
	p, err := m.Build()
	require.NoError(t, err)
	input := exec.Array{Shape: []int{in}}
	for i := range in {
		input.F = append(input.F, float32(i-7)/9)
	}
	input.F[7] = 0.125
	sgd := &SGD{LearningRate: 0.01, Momentum: 0.9, L2: 0.01}
	adagrad := &Adagrad{LearningRate: 0.01, Epsilon: 1e-8, L2: 0.01}
	adam := &Adam{LearningRate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, L2: 0.01}
	for _, c := range []struct {
		opt   Optimizer
		slots *slots
	}{{sgd, &sgd.slots}, {adagrad, &adagrad.slots}, {adam, &adam.slots}} {
		t.Run(c.opt.Name(), func(t *testing.T) {
			s, err := exec.New(p, exec.Options{Workers: 1})
			require.NoError(t, err)
			params := s.Parameters()
			v := w.Variable()
			require.Greater(t, params.Layout(v).Size(), in*out, "there is no padding: the test tests nothing")
			for range 50 {
				r, err := s.Gradients(t.Context(), f.Graph(), [][]exec.Array{{input}}, exec.GradOptions{})
				require.NoError(t, err)
				require.Equal(t, in*out, nonzero(r.Gradients.Of(v).Dense))
				ClipNorm(r.Gradients, 0.5)
				require.NoError(t, c.opt.Step(params, r.Gradients))
				require.Equal(t, in*out, nonzero(r.Gradients.Of(v).Dense), "L2 is added to the gradient")
				params.Read(func(values [][]float32) { require.Equal(t, in*out, nonzero(values[v.Index])) })
				for _, x := range c.slots.arrays[v] {
					require.Len(t, x, params.Layout(v).Size())
					require.Equal(t, in*out, nonzero(x))
				}
			}
			require.NotEmpty(t, c.slots.arrays[v])
			state, err := c.opt.State(params)
			require.NoError(t, err)
			for _, slot := range state.Slots {
				require.Equal(t, in*out, nonzero(slot.Values))
				require.Len(t, slot.Values, in*out)
			}
		})
	}
}

// An Epsilon that single precision rounds to zero would make elements without
// gradient NaN, among them all padding.
func TestEpsilonIsAboveZeroInSinglePrecision(t *testing.T) {
	require.ErrorIs(t, checkSettings("adam", positive("Epsilon", 1e-60)), ErrSetting)
	require.NoError(t, checkSettings("adam", positive("Epsilon", 1e-38)))
}
