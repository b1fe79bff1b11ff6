package devicetest

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

const anyLength = graph.Any

func f32(dims ...int) graph.Type { return graph.T(graph.Float32, dims...) }

func i32(dims ...int) graph.Type { return graph.T(graph.Int32, dims...) }

func boolean(dims ...int) graph.Type { return graph.T(graph.Boolean, dims...) }

type (
	// build applies operators to the inputs of a case.
	build = func(in []graph.Value) graph.Value
	// signature are the types of the inputs.
	signature []graph.Type
)

func one(f func(graph.Value) graph.Value) build {
	return func(in []graph.Value) graph.Value { return f(in[0]) }
}

func two(f func(a, b graph.Value) graph.Value) build {
	return func(in []graph.Value) graph.Value { return f(in[0], in[1]) }
}

func three(f func(a, b, c graph.Value) graph.Value) build {
	return func(in []graph.Value) graph.Value { return f(in[0], in[1], in[2]) }
}

// cases collects cases.
type cases []*operatorCase

// add adds a case for each signature, with integers from 0 up to a limit and floats
// between -1.5 and 1.5, and returns them to be changed.
func (all *cases) add(name string, f build, limit int32, signatures ...signature) cases {
	var added cases
	for _, in := range signatures {
		added = append(added, &operatorCase{name: name, build: f, in: in, integers: [2]int32{0, limit}, floats: [2]float64{-1.5, 1.5}})
	}
	*all = append(*all, added...)
	return added
}

// positive lets floats be between 0.3 and 2.
func (all cases) positive() {
	for _, c := range all {
		c.floats = [2]float64{0.3, 2}
	}
}

// nonempty lets lists have elements.
func (all cases) nonempty() {
	for _, c := range all {
		c.nonempty = true
	}
}

// special lets floats be what functions treat separately.
func (all cases) special() {
	for _, c := range all {
		c.special = true
	}
}

// from raises the least integer.
func (all cases) from(least int32) {
	for _, c := range all {
		c.integers[0] = least
	}
}

// operatorCases covers all operators of package ops, by themselves and through the
// gradients of others.
func operatorCases() cases {
	var all cases
	all.unary()
	all.pairwise()
	all.reductions()
	all.products()
	all.parts()
	all.indices()
	all.names()
	return all
}

// broadcasts are ways in which the elements of two operands meet.
func broadcasts(t func(dims ...int) graph.Type) []signature {
	return []signature{
		{t(), t()}, {t(40), t(40)}, {t(5), t()}, {t(), t(33)}, {t(3, 1), t(3, 5)}, {t(3, 5), t(5)}, {t(9, 1), t(1, 3)},
		{t(2, 3, 4), t(3, 1)}, {t(2, 1, 4), t(3, 1)}, {t(anyLength), t()}, {t(anyLength, 4), t(anyLength, 4)},
		{t(4), t(anyLength, 4)}, {t(anyLength, 4), t(anyLength, 1)}, {t(anyLength, 2, 3), t(2, 1)},
	}
}

func (all *cases) unary() {
	types := []signature{{f32()}, {f32(3)}, {f32(40)}, {f32(2, 5)}, {f32(anyLength)}, {f32(anyLength, 7)}}
	all.specialUnary()
	for _, f := range []func(graph.Value) graph.Value{
		ops.Neg, ops.Abs, ops.Exp, ops.Square, ops.Softplus, ops.StopGradient, ops.Sigmoid, ops.Tanh, ops.Relu,
	} {
		all.add("unary", one(f), 4, types...)
	}
	for _, f := range []func(graph.Value) graph.Value{ops.Log, ops.Sqrt, ops.Reciprocal} {
		all.add("unary", one(f), 4, types...).positive()
	}
	all.add("scalars", one(func(x graph.Value) graph.Value {
		return ops.Clip(ops.AddScalar(ops.MulScalar(x, -1.5), 0.25), -1, 0.75)
	}), 4, types...)
	all.add("dropout", one(func(x graph.Value) graph.Value { return ops.Dropout(x, 0.4) }), 4, types...)
	all.add("neg", one(ops.Neg), 9, signature{i32(3)}, signature{i32(anyLength, 2)}).from(-9)
	all.add("not", one(ops.Not), 4, signature{boolean()}, signature{boolean(anyLength, 3)})
	for _, to := range []graph.DType{graph.Float32, graph.Int32, graph.Boolean} {
		cast := one(func(x graph.Value) graph.Value { return ops.Cast(x, to) })
		all.add("cast", cast, 4, signature{f32(5)}, signature{i32()}, signature{boolean(2, 3)}, signature{f32(anyLength)}, signature{i32(anyLength, 2)}).from(-4)
	}
}

// specialUnary covers functions at their limits.
func (all *cases) specialUnary() {
	for _, f := range []func(graph.Value) graph.Value{
		ops.Neg, ops.Abs, ops.Exp, ops.Square, ops.Softplus, ops.StopGradient, ops.Sigmoid, ops.Tanh, ops.Relu,
		ops.Log, ops.Sqrt, ops.Reciprocal, func(x graph.Value) graph.Value { return ops.Clip(x, -1, 1) },
	} {
		all.add("limits", one(f), 4, signature{f32(40)}).special()
	}
}

// specialPairwise covers functions of two operands at their limits.
func (all *cases) specialPairwise() {
	for _, f := range []func(x, y graph.Value) graph.Value{
		ops.Sub, ops.Mul, ops.Div, ops.Pow, ops.Maximum, ops.Minimum,
		ops.Less, ops.LessEqual, ops.Greater, ops.GreaterEqual, ops.Equal, ops.NotEqual,
	} {
		all.add("limits", two(f), 4, signature{f32(80), f32(80)}).special()
	}
	all.add("limits", two(func(x, y graph.Value) graph.Value { return ops.Add(x, y) }), 4, signature{f32(80), f32(80)}).special()
	all.add("limits", three(ops.Where), 4, signature{boolean(40), f32(40), f32(40)}).special()
	for _, t := range []graph.Type{f32(40), f32(3, 5)} {
		all.add("limits", one(func(x graph.Value) graph.Value { return ops.ArgMax(x, 0) }), 4, signature{t}).special()
		all.add("limits", one(func(x graph.Value) graph.Value { return ops.MaxOver(x, 0) }), 4, signature{t}).special()
	}
}

func (all *cases) pairwise() {
	all.specialPairwise()
	for _, f := range []func(x, y graph.Value) graph.Value{ops.Sub, ops.Mul, ops.Maximum, ops.Minimum} {
		all.add("pairwise", two(f), 9, broadcasts(f32)...)
		all.add("pairwise", two(f), 9, broadcasts(i32)[:5]...).from(-9)
	}
	all.add("add", two(func(x, y graph.Value) graph.Value { return ops.Add(x, y) }), 4, broadcasts(f32)...)
	all.add("div", two(ops.Div), 4, broadcasts(f32)...).positive()
	all.add("pow", two(ops.Pow), 4, broadcasts(f32)...).positive()
	all.add("div", two(ops.Div), 9, broadcasts(i32)[:5]...).from(1)
	all.add("mod", two(ops.Mod), 9, broadcasts(i32)[:5]...).from(1)
	for _, f := range []func(x, y graph.Value) graph.Value{
		ops.Less, ops.LessEqual, ops.Greater, ops.GreaterEqual, ops.Equal, ops.NotEqual,
	} {
		all.add("compare", two(f), 3, broadcasts(f32)...)
		all.add("compare", two(f), 3, broadcasts(i32)[:5]...)
	}
	for _, f := range []func(x, y graph.Value) graph.Value{ops.And, ops.Or, ops.Xor} {
		all.add("logic", two(f), 4, broadcasts(boolean)...)
	}
	all.add("where", three(ops.Where), 4,
		signature{boolean(), f32(), f32()}, signature{boolean(), f32(7), f32(7)}, signature{boolean(3, 1), f32(3, 5), f32(5)},
		signature{boolean(anyLength, 1), f32(anyLength, 4), f32(4)}, signature{boolean(), i32(3), i32(3)}, signature{boolean(4), boolean(4), boolean()})
}

func (all *cases) reductions() {
	types := []signature{{f32(40)}, {f32(3, 5)}, {f32(2, 3, 4)}}
	lists := []signature{{f32(anyLength)}, {f32(anyLength, 7)}, {f32(anyLength, 2, 3)}}
	for axis := range 3 {
		sum := one(func(x graph.Value) graph.Value { return ops.Sum(x, axis) })
		most := one(func(x graph.Value) graph.Value { return ops.MaxOver(x, axis) })
		mean := one(func(x graph.Value) graph.Value { return ops.Mean(x, axis) })
		arg := one(func(x graph.Value) graph.Value { return ops.ArgMax(x, axis) })
		soft := one(func(x graph.Value) graph.Value { return ops.SoftmaxAxis(x, axis) })
		for _, f := range []build{sum, most, mean, arg, soft} {
			all.add("reduction", f, 4, types[axis:]...)
			all.add("reduction", f, 4, lists[axis:]...).nonempty()
		}
		all.add("sum", sum, 4, lists[axis:]...)
		all.add("softmax", soft, 4, lists[axis:]...)
	}
	everything := one(func(x graph.Value) graph.Value { return ops.Sum(x) })
	all.add("sum", everything, 4, types...)
	all.add("sum", one(func(x graph.Value) graph.Value { return ops.Sum(x, 0, 2) }), 4, types[2], lists[2])
	all.add("max", one(func(x graph.Value) graph.Value { return ops.MaxOver(x, 0, 1) }), 4, types[1], types[2])
	all.add("log_softmax", one(ops.LogSoftmax), 4, append(types, lists...)...)
	for _, eps := range []float64{0.1, 1e-5} {
		norm := three(func(x, gain, bias graph.Value) graph.Value { return ops.LayerNorm(x, gain, bias, eps) })
		all.add("layer_norm", norm, 4, signature{f32(40), f32(40), f32(40)}, signature{f32(3, 5), f32(5), f32(5)},
			signature{f32(anyLength, 5), f32(5), f32(5)}, signature{f32(anyLength, 2, 5), f32(5), f32(5)})
	}
	all.add("cross_entropy", two(ops.CrossEntropy), 5, signature{f32(5), i32()}, signature{f32(3, 5), i32(3)},
		signature{f32(anyLength, 5), i32(anyLength)}, signature{f32(anyLength, 5), i32()}, signature{f32(5), i32(anyLength)})
}

func (all *cases) products() {
	all.add("matmul", two(ops.MatMul), 4,
		signature{f32(4), f32(4, 3)}, signature{f32(1), f32(1, 1)}, signature{f32(2, 4), f32(4, 3)}, signature{f32(2, 3, 4), f32(2, 4, 5)},
		signature{f32(anyLength, 4), f32(4, 3)}, signature{f32(anyLength, 2, 4), f32(4, 3)}, signature{f32(4), f32(anyLength, 4, 3)},
		signature{f32(anyLength, 4), f32(anyLength, 4, 3)}, signature{f32(anyLength, 2, 4), f32(anyLength, 4, 3)}, signature{f32(33), f32(33, 20)})
	all.add("matmul_t", two(ops.MatMulT), 4,
		signature{f32(4), f32(3, 4)}, signature{f32(2, 4), f32(3, 4)}, signature{f32(2, 3, 4), f32(2, 5, 4)}, signature{f32(anyLength, 4), f32(3, 4)},
		signature{f32(anyLength, 2, 4), f32(3, 4)}, signature{f32(4), f32(anyLength, 3, 4)}, signature{f32(anyLength, 2, 4), f32(anyLength, 3, 4)})
	all.add("matvec", two(ops.MatVec), 4, signature{f32(3, 4), f32(4)}, signature{f32(3, 4), f32(anyLength, 4)})
	vectors := []signature{{f32(4), f32(3)}, {f32(1), f32(5)}, {f32(anyLength, 4), f32(anyLength, 3)}, {f32(anyLength, 4), f32(3)}, {f32(4), f32(anyLength, 3)}}
	all.add("outer", two(ops.Outer), 4, vectors...)
	all.add("bilinear", three(ops.Bilinear), 4, signature{f32(3), f32(2, 3, 4), f32(4)}, signature{f32(anyLength, 3), f32(2, 3, 4), f32(anyLength, 4)},
		signature{f32(anyLength, 3), f32(2, 3, 4), f32(4)})
	pairs := []signature{{f32(40), f32(40)}, {f32(3, 5), f32(3, 5)}, {f32(anyLength, 5), f32(anyLength, 5)}, {f32(anyLength, 5), f32(5)}}
	all.add("dot", two(ops.Dot), 4, pairs...)
	all.add("squared_distance", two(ops.SquaredDistance), 4, pairs...)
	all.add("weighted_sum", two(ops.WeightedSum), 4, signature{f32(anyLength), f32(anyLength, 4)}, signature{f32(anyLength), f32(anyLength)},
		signature{f32(anyLength), f32(anyLength, 2, 3)}, signature{f32(3), f32(3, 2)})
}
