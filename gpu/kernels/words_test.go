package kernels_test

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/kernels"
)

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// integerPairs are the operations on integers as Go defines them.
var integerPairs = map[kernels.WordOp]func(x, y int32) int32{
	kernels.IntegerAdd:       func(x, y int32) int32 { return x + y },
	kernels.IntegerSubtract:  func(x, y int32) int32 { return x - y },
	kernels.IntegerMultiply:  func(x, y int32) int32 { return x * y },
	kernels.IntegerDivide:    func(x, y int32) int32 { return x / y },
	kernels.IntegerRemainder: func(x, y int32) int32 { return x % y },
	kernels.IntegerMinimum:   func(x, y int32) int32 { return min(x, y) },
	kernels.IntegerMaximum:   func(x, y int32) int32 { return max(x, y) },
	kernels.And:              func(x, y int32) int32 { return x & y },
	kernels.Or:               func(x, y int32) int32 { return x | y },
	kernels.Xor:              func(x, y int32) int32 { return x ^ y },
	kernels.IntegerLess:      func(x, y int32) int32 { return truth(x < y) },
	kernels.IntegerLessEqual: func(x, y int32) int32 { return truth(x <= y) },
	kernels.IntegerEqual:     func(x, y int32) int32 { return truth(x == y) },
	kernels.IntegerNotEqual:  func(x, y int32) int32 { return truth(x != y) },
}

var floatPairs = map[kernels.WordOp]func(x, y float32) bool{
	kernels.FloatLess:      func(x, y float32) bool { return x < y },
	kernels.FloatLessEqual: func(x, y float32) bool { return x <= y },
	kernels.FloatEqual:     func(x, y float32) bool { return x == y },
	kernels.FloatNotEqual:  func(x, y float32) bool { return x != y },
}

// sizes are numbers of elements about that of a block.
var sizes = []int{0, 1, 31, 33, 256, 300}

func TestPairsOfIntegers(t *testing.T) {
	r := setUp(t, "")
	special := []int32{math.MinInt32, math.MaxInt32, -1, 1, 2, -7}
	for op, want := range integerPairs {
		for _, n := range sizes {
			x, y, z := make([]int32, n), make([]int32, n), make([]int32, n)
			for i := range x {
				x[i], y[i] = special[i%6]+int32(i/36), special[i/6%6]+int32(i/36*8)
				if y[i] == 0 {
					y[i] = 3
				}
				z[i] = want(x[i], y[i])
			}
			out := put(r, x)
			require.NoError(t, r.set.Pairs(r.stream, op, out, kernels.Operand{Buffer: out}, kernels.Operand{Buffer: put(r, y)}))
			require.Equal(t, z, r.words(out), "operation %d", op)
		}
	}
}

func TestPairsOfFloats(t *testing.T) {
	r := setUp(t, "")
	x := ties(1, 300)
	y := []float32{0, float32(math.Copysign(0, -1)), 1, float32(math.NaN()), float32(math.Inf(1)), -2, 3}
	for op, want := range floatPairs {
		out := put(r, make([]int32, len(x)))
		require.NoError(t, r.set.Pairs(r.stream, op, out, kernels.Operand{Buffer: put(r, x)}, kernels.Operand{Buffer: put(r, y), Period: len(y)}))
		for i, got := range r.words(out) {
			require.Equal(t, truth(want(x[i], y[i%len(y)])), got, "operation %d of %v and %v", op, x[i], y[i%len(y)])
		}
	}
}

func TestChoose(t *testing.T) {
	r := setUp(t, "")
	for _, n := range sizes {
		condition, x, want := indices(1, n, 2), random(2, n), make([]float32, n)
		for i := range want {
			if want[i] = 0.5; condition[i] != 0 {
				want[i] = x[i]
			}
		}
		out := put(r, x)
		half := kernels.Operand{Buffer: put(r, []float32{0.5}), Period: 1}
		require.NoError(t, r.set.Choose(r.stream, out, kernels.Operand{Buffer: put(r, condition)}, kernels.Operand{Buffer: out}, half))
		require.Equal(t, want, r.get(out))
	}
}

func TestConversions(t *testing.T) {
	r := setUp(t, "")
	floats := append(random(1, 300), 0, float32(math.Copysign(0, -1)), float32(math.NaN()), 2.9, -2.9, 1e-40, 3e9, -3e9, 2147483520, -2147483648)
	integers := []int32{0, 1, -1, 1 << 24, 1<<24 + 1, math.MaxInt32, math.MinInt32}
	in := put(r, floats)
	out := put(r, make([]int32, len(floats)))
	require.NoError(t, r.set.FloatsToTruths(r.stream, out, in))
	for i, got := range r.words(out) {
		require.Equal(t, truth(floats[i] != 0), got)
	}
	require.NoError(t, r.set.FloatsToIntegers(r.stream, in, in))
	for i, got := range r.words(in) {
		want := math.Trunc(float64(floats[i]))
		if math.IsNaN(want) {
			want = 0
		}
		require.Equal(t, int32(max(math.MinInt32, min(math.MaxInt32, want))), got)
	}
	in = put(r, integers)
	require.NoError(t, r.set.IntegersToFloats(r.stream, in, in))
	for i, got := range r.get(in) {
		require.Equal(t, float32(integers[i]), got)
	}
}

func TestDivisionByZeroIsAFault(t *testing.T) {
	if os.Getenv("FROND_GPU_LIBRARY") != "" {
		t.Skip("a real device is lost for the whole process")
	}
	for _, op := range []kernels.WordOp{kernels.IntegerDivide, kernels.IntegerRemainder} {
		r := setUp(t, "")
		out := put(r, []int32{1, 2})
		require.NoError(t, r.set.Pairs(r.stream, op, out, kernels.Operand{Buffer: out}, kernels.Operand{Buffer: put(r, []int32{1, 0})}))
		require.ErrorIs(t, r.stream.Download(ctx, make([]byte, 8), out), gpu.ErrKernel)
	}
}

func TestWordsRefuseArguments(t *testing.T) {
	r := setUp(t, "")
	b := put(r, make([]float32, 4))
	whole, short := kernels.Operand{Buffer: b}, kernels.Operand{Buffer: b.Slice(0, 8)}
	for message, err := range map[string]error{
		"operation 18":                          r.set.Pairs(r.stream, 18, b, whole, whole),
		"operation -1":                          r.set.Pairs(r.stream, -1, b, whole, whole),
		"x has 8 bytes, want 4 words":           r.set.Pairs(r.stream, kernels.And, b, short, whole),
		"y has 8 bytes, want 3 words":           r.set.Choose(r.stream, b, whole, whole, kernels.Operand{Buffer: short.Buffer, Period: 3}),
		"the period of condition is -1":         r.set.Choose(r.stream, b, kernels.Operand{Buffer: b, Period: -1}, whole, whole),
		"out has 7 bytes":                       r.set.IntegersToFloats(r.stream, b.Slice(0, 7), b),
		"floats_to_truths: invalid argument: x": r.set.FloatsToTruths(r.stream, b, short.Buffer),
	} {
		require.ErrorIs(t, err, gpu.ErrArgument)
		require.ErrorContains(t, err, message)
	}
}
