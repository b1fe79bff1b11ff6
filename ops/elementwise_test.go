package ops_test

import (
	"slices"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops/optest"
)

// elementwiseCases are the conformance cases of the operators in
// registry_elementwise.go.
var elementwiseCases = slices.Concat(arithmeticCases, unaryCases, compareCases, logicCases, whereCases, sumCases, maxCases,
	softmaxCases, crossEntropyCases, vectorCases, expandCases, castCases, dropoutCases)

func TestElementwise(t *testing.T) {
	for _, c := range elementwiseCases {
		optest.Run(t, c)
	}
}

func f32(dims ...int) graph.Type { return graph.T(graph.Float32, dims...) }

func i32(dims ...int) graph.Type { return graph.T(graph.Int32, dims...) }

func boolean(dims ...int) graph.Type { return graph.T(graph.Boolean, dims...) }

const anyLen = graph.Any

// unaryCase builds a case of a function of one value.
func unaryCase(name string, f func(x graph.Value) graph.Value, in graph.Type) optest.Case {
	return optest.Case{
		Name:  name + " " + in.String(),
		Build: func(_ *graph.Module, in []graph.Value) graph.Value { return f(in[0]) },
		In:    []graph.Type{in}, NoGrad: !in.DType.IsFloat(),
	}
}

// binaryCase builds a case of a function of two values.
func binaryCase(name string, f func(x, y graph.Value) graph.Value, x, y graph.Type) optest.Case {
	return optest.Case{
		Name:  name + " " + x.String() + " " + y.String(),
		Build: func(_ *graph.Module, in []graph.Value) graph.Value { return f(in[0], in[1]) },
		In:    []graph.Type{x, y}, NoGrad: !x.DType.IsFloat() && !y.DType.IsFloat(),
	}
}

// with returns the cases changed by f.
func with(cases []optest.Case, f func(c *optest.Case)) []optest.Case {
	for i := range cases {
		f(&cases[i])
	}
	return cases
}

func noGrad(c *optest.Case) { c.NoGrad = true }

// broadcasts are pairs of types that every element-wise operator accepts.
func broadcasts(t func(dims ...int) graph.Type) [][2]graph.Type {
	return [][2]graph.Type{
		{t(), t()}, {t(40), t(40)}, {t(5), t()}, {t(3, 1), t(3, 5)}, {t(anyLen, 4), t(anyLen, 4)}, {t(anyLen), t()}, {t(4), t(anyLen, 4)},
	}
}

// allBroadcasts go through every way to align two operands.
func allBroadcasts(t func(dims ...int) graph.Type) [][2]graph.Type {
	return append(broadcasts(t), [][2]graph.Type{
		{t(3), t(3)}, {t(), t(40)}, {t(3, 5), t(5)}, {t(40, 1), t(1, 3)}, {t(2, 3, 4), t(3, 1)}, {t(2, 1, 4), t(3, 1)}, {t(1), t(4)},
		{t(3, 40), t(3, 1)}, {t(2, 2, 33), t(2, 1, 33)},
		{t(anyLen), t(anyLen)}, {t(anyLen, 40), t(anyLen, 40)}, {t(anyLen, 40), t(40)}, {t(anyLen, 4), t(anyLen, 1)},
		{t(), t(anyLen, 3)}, {t(anyLen, 2, 3), t(2, 1)}, {t(1), t(anyLen, 3)}, {t(0, 3), t(1, 3)},
	}...)
}

func binaryCases(name string, f func(x, y graph.Value) graph.Value, t func(dims ...int) graph.Type) []optest.Case {
	return pairCases(name, f, broadcasts(t))
}

func pairCases(name string, f func(x, y graph.Value) graph.Value, pairs [][2]graph.Type) []optest.Case {
	var cases []optest.Case
	for _, p := range pairs {
		cases = append(cases, binaryCase(name, f, p[0], p[1]))
	}
	return cases
}

func unaryCasesOf(name string, f func(x graph.Value) graph.Value, t func(dims ...int) graph.Type) []optest.Case {
	var cases []optest.Case
	for _, x := range []graph.Type{t(), t(3), t(40), t(2, 5), t(anyLen), t(anyLen, 3), t(anyLen, 2, 20)} {
		cases = append(cases, unaryCase(name, f, x))
	}
	return cases
}

// nonzero draws the divisor, input 1, from one side of zero.
func nonzeroInts(i int, _ []int) (lo, hi int) {
	if i == 1 {
		return -9, -1
	}
	return -20, 20
}

// awayFromZero keeps all inputs at least 0.3 from zero.
func awayFromZero(c *optest.Case) { c.Domain = optest.Away(0.3) }

// positive draws from [0.3, 2).
func positive(c *optest.Case) { c.Domain = optest.Interval(0.3, 2) }
