package kernels_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// method is an optimiser: how to make step t on the device, and its equations for one
// weight in float64, where s is what it remembers.
type method struct {
	step   func(r *rig, w kernels.Weights, s []gpu.Buffer, t int) error
	define func(w, g float64, s []float64, t int) float64
	slots  int
}

var methods = map[string]method{
	"sgd": {func(r *rig, w kernels.Weights, _ []gpu.Buffer, _ int) error {
		return r.set.SGD(r.stream, w, 0.1)
	}, func(w, g float64, _ []float64, _ int) float64 { return w - 0.1*g }, 0},
	"momentum": {func(r *rig, w kernels.Weights, s []gpu.Buffer, _ int) error {
		return r.set.Momentum(r.stream, w, s[0], 0.05, 0.9)
	}, func(w, g float64, s []float64, _ int) float64 {
		s[0] = 0.9*s[0] + g
		return w - 0.05*s[0]
	}, 1},
	"adagrad": {func(r *rig, w kernels.Weights, s []gpu.Buffer, _ int) error {
		return r.set.Adagrad(r.stream, w, s[0], 0.05, 1e-8)
	}, func(w, g float64, s []float64, _ int) float64 {
		s[0] += g * g
		return w - 0.05*g/(math.Sqrt(s[0])+1e-8)
	}, 1},
	"adam": {func(r *rig, w kernels.Weights, s []gpu.Buffer, t int) error {
		return r.set.Adam(r.stream, w, s[0], s[1], kernels.AdamStep{
			Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8,
			Correct1: float32(1 / (1 - math.Pow(0.9, float64(t)))), Correct2: float32(1 / (1 - math.Pow(0.999, float64(t)))),
		})
	}, func(w, g float64, s []float64, t int) float64 {
		s[0] = 0.9*s[0] + 0.1*g
		s[1] = 0.999*s[1] + 0.001*g*g
		m, v := s[0]/(1-math.Pow(0.9, float64(t))), s[1]/(1-math.Pow(0.999, float64(t)))
		return w - 0.01*m/(math.Sqrt(v)+1e-8)
	}, 2},
}

// Over some steps, every weight follows its definition: all of them, or those of rows
// that have a gradient while the others stay.
func TestOptimizers(t *testing.T) {
	r := setUp(t, "")
	for name, m := range methods {
		for _, l2 := range []float32{0, 0.25} {
			for _, n := range sizes {
				t.Run(name, func(t *testing.T) {
					r := &rig{t, r.device, r.stream, r.set}
					r.train(m, n, 1, nil, l2)
				})
			}
			r.train(m, 21*35, 35, []int32{20, 3, 0, 7}, l2)
			r.train(m, 21*35, 35, []int32{}, l2)
		}
	}
}

// train makes steps on n weights, with gradients for all of them or for some rows.
func (r *rig) train(m method, n, width int, rows []int32, l2 float32) {
	r.Helper()
	x := random(1, n)
	want, state, slots := wide(x), make([][]float64, n), make([]gpu.Buffer, m.slots)
	for i := range state {
		state[i] = make([]float64, m.slots)
	}
	for i := range slots {
		slots[i] = put(r, make([]float32, n))
	}
	w := kernels.Weights{Values: put(r, x), L2: l2}
	if rows != nil {
		w.Rows, w.RowCount, w.Width = put(r, append(slices.Clone(rows), -1)), len(rows), width
		n = len(rows) * width
	}
	for step := range 3 {
		g := random(uint64(10+step), n)
		w.Gradient = put(r, g)
		require.NoError(r, m.step(r, w, slots, step+1))
		for i, v := range g {
			at := i
			if rows != nil {
				at = int(rows[i/width])*width + i%width
			}
			want[at] = m.define(want[at], float64(v)+float64(l2)*want[at], state[at], step+1)
		}
	}
	r.close(want, r.get(w.Values), 1e-6)
}

func TestOptimizersRefuseArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 12))
	short := b.Slice(0, 8)
	for message, err := range map[string]error{
		"sgd: invalid argument: the gradient has 8 bytes, want 12 words": r.set.SGD(r.stream, kernels.Weights{Values: b, Gradient: short}, 1),
		"what the optimiser remembers has 8 bytes, want 12 words":        r.set.Momentum(r.stream, kernels.Weights{Values: b, Gradient: b}, short, 1, 0),
		"adagrad: invalid argument: 2 rows of width 5 of 12 weights":     r.set.Adagrad(r.stream, kernels.Weights{Values: b, Gradient: b, Rows: b, RowCount: 2, Width: 5}, b, 1, 1),
		"adam: invalid argument: Rows has 8 bytes, want 3 words":         r.set.Adam(r.stream, kernels.Weights{Values: b, Gradient: b, Rows: short, RowCount: 3, Width: 4}, b, b, kernels.AdamStep{}),
		"-1 rows of width 4 of 12 weights":                               r.set.SGD(r.stream, kernels.Weights{Values: b, Gradient: b, Rows: b, RowCount: -1, Width: 4}, 1),
		"sgd: invalid argument: the gradient has 8 bytes, want 4 words":  r.set.SGD(r.stream, kernels.Weights{Values: b, Gradient: short, Rows: b, RowCount: 1, Width: 4}, 1),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
