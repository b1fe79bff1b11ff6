package kernels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

// run applies a chain to numbers.
func (r *rig) run(x []float32, steps []kernels.Step, operands ...gpu.Buffer) []float32 {
	r.Helper()
	c, err := kernels.NewChain(ctx, r.stream, steps...)
	require.NoError(r, err)
	b := put(r, x)
	require.NoError(r, r.set.Chain(r.stream, c, b, b, operands...))
	require.NoError(r, c.Free(r.stream))
	return r.get(b)
}

// ulps is the distance of a result in units of its last place.
func ulps(want float64, got float32) float64 {
	rounded := float32(want)
	if rounded == got || math.IsNaN(want) && got != got {
		return 0
	}
	unit := math.Ldexp(1, max(math.Ilogb(want), -126)-23)
	return math.Abs(want-float64(got)) / unit
}

// grid returns numbers between two limits, evenly and densely near zero.
func grid(low, high float64, n int) []float32 {
	var x []float32
	for i := range n {
		x = append(x, float32(low+(high-low)*float64(i)/float64(n-1)))
	}
	for e := -140; e < 6; e++ {
		if v := math.Ldexp(1.3, e); v < high {
			x = append(x, float32(v))
			if -v > low {
				x = append(x, float32(-v))
			}
		}
	}
	return x
}

func TestTranscendentals(t *testing.T) {
	r := setUp(t, "")
	inf := float32(math.Inf(1))
	for _, test := range []struct {
		name  string
		op    kernels.Op
		exact func(float64) float64
		x     []float32
		ulps  float64
	}{
		{"exp", kernels.Exp, math.Exp, append(grid(-104, 89, 4000), inf, -inf, float32(math.NaN())), 1},
		{"log", kernels.Log, math.Log, append(grid(0.001, 20, 4000), 0, -1, inf, 1e-40, 1e38, float32(math.NaN())), 2.5},
		{"sigmoid", kernels.Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, append(grid(-110, 30, 4000), -87, -88.8, inf, -inf, float32(math.NaN())), 2.5},
		{"tanh", kernels.Tanh, math.Tanh, append(grid(-12, 12, 4000), inf, -inf, 0), 2.5},
		{"sqrt", kernels.SquareRoot, math.Sqrt, grid(0, 100, 500), 0.5},
	} {
		worst := 0.0
		for i, got := range r.run(test.x, []kernels.Step{{Op: test.op}}) {
			off := ulps(test.exact(float64(test.x[i])), got)
			require.LessOrEqual(t, off, test.ulps, "%s(%v) = %v", test.name, test.x[i], got)
			worst = max(worst, off)
		}
		t.Logf("%s: at most %.2f ulp", test.name, worst)
	}
}

func TestChainOperations(t *testing.T) {
	r := setUp(t, "")
	x, o := random(1, 300), random(2, 300)
	operand := put(r, o)
	relu := func(v float32) float32 { return max(v, 0) }
	for op, want := range map[kernels.Op]func(v, o float32) float32{
		kernels.Add:             func(v, o float32) float32 { return v + o },
		kernels.Subtract:        func(v, o float32) float32 { return v - o },
		kernels.SubtractFrom:    func(v, o float32) float32 { return o - v },
		kernels.Multiply:        func(v, o float32) float32 { return v * o },
		kernels.Divide:          func(v, o float32) float32 { return v / o },
		kernels.DivideInto:      func(v, o float32) float32 { return o / v },
		kernels.Minimum:         func(v, o float32) float32 { return min(v, o) },
		kernels.Maximum:         func(v, o float32) float32 { return max(v, o) },
		kernels.Negate:          func(v, _ float32) float32 { return -v },
		kernels.Absolute:        func(v, _ float32) float32 { return max(v, -v) },
		kernels.Square:          func(v, _ float32) float32 { return v * v },
		kernels.Relu:            func(v, _ float32) float32 { return relu(v) },
		kernels.SigmoidGradient: func(v, o float32) float32 { return v * o * (1 - o) },
		kernels.TanhGradient:    func(v, o float32) float32 { return v * float32(1-float64(o)*float64(o)) },
		kernels.ReluGradient: func(v, o float32) float32 {
			if o > 0 {
				return v
			}
			return 0
		},
	} {
		for i, got := range r.run(x, []kernels.Step{{Op: op, Buffer: 1}}, operand) {
			require.Equal(t, want(x[i], o[i]), got, "operation %d of %v and %v", op, x[i], o[i])
		}
	}
}

// Several steps, with constants, a vector that is repeated and two operands.
func TestChain(t *testing.T) {
	r := setUp(t, "seed=4")
	x, bias, other := random(1, 1000), random(2, 8), random(3, 1000)
	got := r.run(x, []kernels.Step{
		{Op: kernels.Add, Buffer: 2, Period: 8},
		{Op: kernels.Multiply, Constant: 0.5},
		{Op: kernels.Tanh},
		{Op: kernels.Subtract, Buffer: 1},
	}, put(r, other), put(r, bias))
	for i, v := range got {
		want := math.Tanh(float64((x[i]+bias[i%8])*0.5)) - float64(other[i])
		require.InDelta(t, want, v, 3e-7)
	}
	require.Equal(t, x, r.run(x, nil), "no steps are a copy")
	require.Empty(t, r.run(nil, []kernels.Step{{Op: kernels.Exp}}))
}

func TestChainRefusesArguments(t *testing.T) {
	r := setUp(t, "")
	for _, step := range []kernels.Step{{Op: -1}, {Op: 1000}, {Buffer: 5}, {Buffer: -1}, {Period: -1}} {
		_, err := kernels.NewChain(ctx, r.stream, step)
		require.ErrorIs(t, err, gpu.ErrArgument)
	}
	_, err := kernels.NewChain(ctx, r.stream, make([]kernels.Step, 65)...)
	require.ErrorIs(t, err, gpu.ErrArgument)

	c, err := kernels.NewChain(ctx, r.stream, kernels.Step{Op: kernels.Add, Buffer: 2})
	require.NoError(t, err)
	x, y := put(r, random(1, 10)), put(r, random(1, 9))
	for message, err := range map[string]error{
		"step 0 wants operand 2 of 1":               r.set.Chain(r.stream, c, x, x, x),
		"operand 2 of step 0 has 36 bytes, want 40": r.set.Chain(r.stream, c, x, x, x, y),
		"from 40 to 36 bytes":                       r.set.Chain(r.stream, c, y, x, x, x),
		"5 operands, want at most 4":                r.set.Chain(r.stream, c, x, x, x, x, x, x, x),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
