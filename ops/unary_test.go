package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var unaryCases = slices.Concat(
	unaryCasesOf("neg", ops.Neg, f32),
	with(unaryCasesOf("neg", ops.Neg, i32), signedInts),
	with(unaryCasesOf("abs", ops.Abs, f32), awayFromZero),
	with(unaryCasesOf("abs", ops.Abs, i32), signedInts),
	unaryCasesOf("exp", ops.Exp, f32),
	with(unaryCasesOf("log", ops.Log, f32), positive),
	with(unaryCasesOf("sqrt", ops.Sqrt, f32), positive),
	unaryCasesOf("square", ops.Square, f32),
	with(unaryCasesOf("reciprocal", ops.Reciprocal, f32), awayFromZero),
	unaryCasesOf("sigmoid", ops.Sigmoid, f32),
	unaryCasesOf("tanh", ops.Tanh, f32),
	with(unaryCasesOf("relu", ops.Relu, f32), awayFromZero),
	unaryCasesOf("softplus", ops.Softplus, f32),
	with(unaryCasesOf("stop_gradient", ops.StopGradient, f32), noGrad),
	unaryCasesOf("add_scalar", func(x graph.Value) graph.Value { return ops.AddScalar(x, 0.75) }, f32),
	unaryCasesOf("mul_scalar", func(x graph.Value) graph.Value { return ops.MulScalar(x, -1.25) }, f32),
	with(unaryCasesOf("clip", func(x graph.Value) graph.Value { return ops.Clip(x, -0.8, 0.9) }, f32), awayFromZero),
	with(unaryCasesOf("not", ops.Not, boolean), noGrad),
	with(unaryCasesOf("one_hot", func(i graph.Value) graph.Value { return ops.OneHot(i, 4) }, i32), noGrad),
)

var inf = math.Inf(1)

// TestSpecialValues runs kernels on values at which formulas break.
func TestSpecialValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		f       func(x graph.Value) graph.Value
		x, want []float64
	}{
		{"abs", ops.Abs, []float64{-inf, nan, -0.5}, []float64{inf, nan, 0.5}},
		{"exp", ops.Exp, []float64{-inf, inf, nan, 0, 800}, []float64{0, inf, nan, 1, inf}},
		{"log", ops.Log, []float64{0, -1, inf, nan}, []float64{-inf, nan, inf, nan}},
		{"sqrt", ops.Sqrt, []float64{0, -1, inf, nan}, []float64{0, nan, inf, nan}},
		{"sigmoid", ops.Sigmoid, []float64{-inf, inf, nan, 0}, []float64{0, 1, nan, 0.5}},
		{"tanh", ops.Tanh, []float64{-inf, inf, nan, 0}, []float64{-1, 1, nan, 0}},
		{"relu", ops.Relu, []float64{-inf, inf, nan, -2}, []float64{0, inf, nan, 0}},
		{"softplus", ops.Softplus, []float64{-inf, inf, nan, 200}, []float64{0, inf, nan, 200}},
		{"reciprocal", ops.Reciprocal, []float64{inf, nan}, []float64{0, nan}},
		{"clip", func(x graph.Value) graph.Value { return ops.Clip(x, -1, 1) }, []float64{-inf, inf, nan}, []float64{-1, 1, nan}},
		{"softmax", ops.Softmax, []float64{-inf, 0, 0}, []float64{0, 0.5, 0.5}},
		{"softmax of large", ops.Softmax, []float64{1000, 1000}, []float64{0.5, 0.5}},
		{"softmax of nan", ops.Softmax, []float64{0, nan}, []float64{nan, nan}},
		{"log_softmax", ops.LogSoftmax, []float64{0, -200}, []float64{0, -200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := optest.F(optest.Dims(len(c.x)), c.x...)
			kernel, eval := runBoth(t, c.f, x)
			assertFloats(t, c.want, kernel.F, "kernel")
			assertFloats(t, c.want, eval.F, "Eval")
		})
	}
}

// TestDerivativesAtKinks pins what gradients are where there is none.
func TestDerivativesAtKinks(t *testing.T) {
	clip := func(x graph.Value) graph.Value { return ops.Clip(x, -1, 1) }
	zero := func(x graph.Value) graph.Value { return ops.ZerosLike(x) }
	for _, c := range []struct {
		name    string
		f       func(x graph.Value) graph.Value
		x, want []float64
	}{
		{"abs", ops.Abs, []float64{0, -2, 2}, []float64{0, -3, 3}},
		{"relu", ops.Relu, []float64{0, -2, 2}, []float64{0, 0, 3}},
		{"clip", clip, []float64{-1, 1, 1.5}, []float64{3, 3, 0}},
		{"maximum", func(x graph.Value) graph.Value { return ops.Maximum(x, zero(x)) }, []float64{0, -2}, []float64{3, 0}},
		{"minimum, second", func(x graph.Value) graph.Value { return ops.Minimum(zero(x), x) }, []float64{0, -2}, []float64{0, 3}},
		{"power 0", func(x graph.Value) graph.Value { return ops.Pow(x, zero(x)) }, []float64{0, 2}, []float64{0, 0}},
		{"power of 0", func(x graph.Value) graph.Value { return ops.Pow(zero(x), x) }, []float64{2}, []float64{0}},
		{"max over equal elements", func(x graph.Value) graph.Value { return ops.BroadcastTo(ops.MaxOver(x), 3) }, []float64{2, 5, 5}, []float64{0, 9, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := optest.F(optest.Dims(len(c.x)), c.x...)
			g, err := build(c.f, x.Type())
			assert.NoError(t, err)
			ct := optest.F(x.Shape, slices.Repeat([]float64{3}, len(c.x))...)
			got, err := optest.Grad(g, []*ops.Tensor{x}, []*ops.Tensor{ct})
			assert.NoError(t, err)
			assert.Equal(t, c.want, got[0].F)
		})
	}
}

func TestAbsOfLeastInteger(t *testing.T) {
	kernel, eval := runBoth(t, ops.Abs, optest.I(optest.Dims(1), math.MinInt32))
	assert.Equal(t, []int32{math.MinInt32}, kernel.I)
	assert.Equal(t, kernel.I, eval.I)
}
