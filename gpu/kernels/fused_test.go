package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// corners are where functions change, and beyond.
func corners() []float32 {
	return append([]float32{1e-40, -1e-40, 1e30, -1e30, 88, -104, 2.5, -2.5, 1e-7, 3, -3}, special...)
}

// pairsOf returns all pairs of numbers.
func pairsOf(x []float32) (v, o []float32) {
	for _, a := range x {
		for _, b := range x {
			v, o = append(v, a), append(o, b)
		}
	}
	return v, o
}

// meaning is what an operation computes, in float64, and its error in units of the last
// place.
type meaning struct {
	of   func(v, o float64) float64
	ulps float64
}

func unary(f func(float64) float64, ulps float64) meaning {
	return meaning{func(v, _ float64) float64 { return f(v) }, ulps}
}

// single rounds a result as float32 arithmetic does.
func single(v float64) float64 { return float64(float32(v)) }

var meanings = map[kernels.Op]meaning{
	kernels.Add:              {func(v, o float64) float64 { return v + o }, 0.5},
	kernels.Subtract:         {func(v, o float64) float64 { return v - o }, 0.5},
	kernels.SubtractFrom:     {func(v, o float64) float64 { return o - v }, 0.5},
	kernels.Multiply:         {func(v, o float64) float64 { return v * o }, 0.5},
	kernels.Divide:           {func(v, o float64) float64 { return v / o }, 0.5},
	kernels.DivideInto:       {func(v, o float64) float64 { return o / v }, 0.5},
	kernels.Minimum:          {func(v, o float64) float64 { return min(v, o) }, 0},
	kernels.Maximum:          {func(v, o float64) float64 { return max(v, o) }, 0},
	kernels.Power:            {math.Pow, 1},
	kernels.Negate:           unary(func(v float64) float64 { return -v }, 0),
	kernels.Absolute:         unary(math.Abs, 0),
	kernels.Square:           unary(func(v float64) float64 { return v * v }, 0.5),
	kernels.SquareRoot:       unary(math.Sqrt, 0.5),
	kernels.Exp:              unary(math.Exp, 1),
	kernels.Log:              unary(math.Log, 2.5),
	kernels.Sigmoid:          unary(func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }, 2.5),
	kernels.Tanh:             unary(math.Tanh, 2.5),
	kernels.Reciprocal:       unary(func(v float64) float64 { return 1 / v }, 0.5),
	kernels.Softplus:         unary(func(v float64) float64 { return math.Max(v, 0) + math.Log1p(math.Exp(-math.Abs(v))) }, 3),
	kernels.Identity:         unary(func(v float64) float64 { return v }, 0),
	kernels.Nothing:          unary(func(float64) float64 { return 0 }, 0),
	kernels.Relu:             unary(func(v float64) float64 { return max(v, 0) }, 0),
	kernels.SigmoidGradient:  {func(v, o float64) float64 { return single(single(v*o) * single(1-o)) }, 0.5},
	kernels.TanhGradient:     {func(v, o float64) float64 { return single(v * single(1-o*o)) }, 0.5},
	kernels.ReluGradient:     {func(v, o float64) float64 { return where(o > 0, v, 0) }, 0},
	kernels.AbsoluteGradient: {func(v, o float64) float64 { return where(o > 0, v, where(o < 0, -v, 0)) }, 0},
}

func where(condition bool, a, b float64) float64 {
	if condition {
		return a
	}
	return b
}

// agrees compares a result with that in float64.
func (m meaning) agrees(t *testing.T, op kernels.Op, v, o, got float32) {
	t.Helper()
	want := m.of(float64(v), float64(o))
	if math.IsInf(float64(float32(want)), 0) { // beyond the range
		want = float64(float32(want))
	}
	switch {
	case math.IsNaN(want) || math.IsInf(want, 0):
		require.True(t, float32(want) == got || math.IsNaN(want) && got != got, "operation %d of %v and %v is %v, want %v", op, v, o, got, want)
	default:
		require.LessOrEqual(t, ulps(want, got), m.ulps, "operation %d of %v and %v is %v, want %v", op, v, o, got, want)
	}
	if want == 0 && m.ulps == 0 && op != kernels.Relu && op != kernels.AbsoluteGradient {
		require.Equal(t, math.Signbit(want), math.Signbit(float64(got)), "operation %d of %v and %v: the sign of zero", op, v, o)
	}
}

// All operations on all pairs of special numbers and on random ones.
func TestFusedOperations(t *testing.T) {
	r := setUp(t, "")
	v, o := pairsOf(corners())
	v, o = append(v, random(1, 200)...), append(o, random(2, 200)...)
	x, y, out := put(r, v), put(r, o), put(r, v)
	operands := []kernels.RowOperand{{Buffer: out}, {Buffer: x}, {Buffer: y}}
	for op, meaning := range meanings {
		f, err := kernels.NewFusion([]kernels.RowStep{{Op: op, Size: len(v), X: 1, Y: 2}})
		require.NoError(t, err)
		require.NoError(t, r.set.Fused(r.stream, f, 1, operands...))
		for i, got := range r.get(out) {
			meaning.agrees(t, op, v[i], o[i], got)
		}
	}
}

func TestFusedConstants(t *testing.T) {
	r := setUp(t, "")
	x := append(corners(), random(3, 50)...)
	b, out := put(r, x), put(r, x)
	f, err := kernels.NewFusion([]kernels.RowStep{
		{Op: kernels.Clip, Size: len(x), X: 1, Y: kernels.Constant, Low: -0.25, High: 0.75},
		{Op: kernels.Multiply, Size: len(x), X: 0, Y: kernels.Constant, Low: 4},
		{Op: kernels.Add, Add: true, Size: len(x), X: 0, Y: kernels.Constant, Low: 1},
	})
	require.NoError(t, err)
	require.NoError(t, r.set.Fused(r.stream, f, 1, kernels.RowOperand{Buffer: out}, kernels.RowOperand{Buffer: b}))
	for i, got := range r.get(out) {
		want := 4 * min(max(x[i], -0.25), 0.75)
		want += want + 1
		require.True(t, want == got || want != want && got != got, "of %v: %v, want %v", x[i], got, want)
	}
}

// Steps read what others wrote to other places of the row, rows are repeated and named
// by an index, and what lies between them stays.
func TestFusedRows(t *testing.T) {
	r := setUp(t, "seed=3")
	for _, shape := range [][2]int{{0, 3}, {1, 1}, {40, 1}, {7, 9}, {3, 33}, {70, 5}, {2, 300}, {5, 1100}} {
		r.fusedRows(shape[0], shape[1])
	}
}

// fusedRows computes rows z = [a, b] of twice the width: a = x[index] * y + z[a], then
// b = |a|, then a += b shifted by one.
func (r *rig) fusedRows(n, width int) {
	r.Helper()
	const table = 6
	x, y, z := random(1, table*width), random(2, width), random(3, n*(2*width+3))
	index := make([]int32, n)
	for i := range index {
		index[i] = int32(5 * i % table)
	}
	f, err := kernels.NewFusion([]kernels.RowStep{
		{Op: kernels.Multiply, Add: true, Size: width, To: 2, X: 0, Y: 1},
		{Op: kernels.Absolute, Size: width, To: 3, X: 2, Y: kernels.Constant},
		{Op: kernels.Identity, Add: true, Size: width - 1, To: 2, X: 4, Y: kernels.Constant},
	})
	require.NoError(r, err)
	out := put(r, z)
	part := func(from int) kernels.RowOperand {
		return kernels.RowOperand{Buffer: out.Slice(int64(4*min(from, len(z))), out.Size()), Stride: 2*width + 3}
	}
	require.NoError(r, r.set.Fused(r.stream, f, n,
		kernels.RowOperand{Buffer: put(r, x), Stride: width, Index: put(r, index)}, kernels.RowOperand{Buffer: put(r, y)},
		part(0), part(width), part(width+1)))
	for i := range n {
		a, b := z[i*(2*width+3):][:width], z[i*(2*width+3)+width:][:width]
		for c := range width {
			a[c] += float32(x[int(index[i])*width+c] * y[c])
			b[c] = max(a[c], -a[c])
		}
		for c := range width - 1 {
			a[c] += b[c+1]
		}
	}
	require.Equal(r, z, r.get(out), "%d rows of %d", n, width)
}

func TestFusedRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	for _, step := range []kernels.RowStep{
		{Op: -1}, {Op: 1000}, {Size: -1}, {Size: math.MaxInt}, {To: -1}, {X: 16}, {Y: -2},
	} {
		_, err := kernels.NewFusion([]kernels.RowStep{step})
		require.ErrorIs(t, err, gpu.ErrArgument, "%+v", step)
	}
	_, err := kernels.NewFusion(make([]kernels.RowStep, kernels.MaxRowSteps+1))
	require.ErrorIs(t, err, gpu.ErrArgument)

	f, err := kernels.NewFusion([]kernels.RowStep{{Op: kernels.Add, Size: 3, To: 0, X: 1, Y: 1}})
	require.NoError(t, err)
	x := kernels.RowOperand{Buffer: put(r, random(1, 12)), Stride: 3}
	for message, err := range map[string]error{
		"4 rows of 1 operands, want 2":          r.set.Fused(r.stream, f, 4, x),
		"-1 rows":                               r.set.Fused(r.stream, f, -1, x, x),
		"operand 0 has 48 bytes, want 15 words": r.set.Fused(r.stream, f, 5, x, x),
		"operand 1 has a stride of -1":          r.set.Fused(r.stream, f, 4, x, kernels.RowOperand{Buffer: x.Buffer, Stride: -1}),
		"the index of operand 1 has 8 bytes, want 4 words": r.set.Fused(r.stream, f, 4, x,
			kernels.RowOperand{Buffer: x.Buffer, Stride: 3, Index: x.Buffer.Slice(0, 8)}),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument, message)
		require.ErrorContains(t, err, message)
	}
}
