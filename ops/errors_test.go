package ops_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

// TestMistakes checks that what does not fit is refused, with the types shown.
func TestMistakes(t *testing.T) {
	binary := func(f func(x, y graph.Value) graph.Value) func(in []graph.Value) graph.Value {
		return func(in []graph.Value) graph.Value { return f(in[0], in[1]) }
	}
	unary := func(f func(x graph.Value) graph.Value) func(in []graph.Value) graph.Value {
		return func(in []graph.Value) graph.Value { return f(in[0]) }
	}
	for _, c := range []struct {
		name  string
		build func(in []graph.Value) graph.Value
		in    []graph.Type
		want  error
		text  string
	}{
		{"extents", binary(add), []graph.Type{f32(25), f32(25, 150)}, graph.ErrShape, "extents 25 and 150"},
		{"list and known extent", binary(add), []graph.Type{f32(anyLen), f32(3)}, graph.ErrShape, "x f32[?], y f32[3]: extents ? and 3"},
		{"list and extent 1", binary(ops.Mul), []graph.Type{f32(1, 3), f32(anyLen, 3)}, graph.ErrShape, "extents 1 and ?"},
		{"list inside", binary(ops.Mul), []graph.Type{f32(anyLen), f32(anyLen, 3)}, graph.ErrShape, "extents ? and 3"},
		{"element types", binary(ops.Sub), []graph.Type{f32(3), i32(3)}, graph.ErrDType, "x f32[3], y i32[3]: want one element type"},
		{"add bool", binary(add), []graph.Type{boolean(), boolean()}, graph.ErrDType, "not defined for bool"},
		{"mod f32", binary(ops.Mod), []graph.Type{f32(), f32()}, graph.ErrDType, "not defined for f32"},
		{"pow i32", binary(ops.Pow), []graph.Type{i32(), i32()}, graph.ErrDType, "not defined for i32"},
		{"less bool", binary(ops.Less), []graph.Type{boolean(), boolean()}, graph.ErrDType, "not defined for bool"},
		{"and i32", binary(ops.And), []graph.Type{i32(), i32()}, graph.ErrDType, "not defined for i32"},
		{"not f32", unary(ops.Not), []graph.Type{f32(2)}, graph.ErrDType, "x f32[2], want bool"},
		{"sigmoid i32", unary(ops.Sigmoid), []graph.Type{i32(2)}, graph.ErrDType, "not defined for i32"},
		{"square bool", unary(ops.Square), []graph.Type{boolean()}, graph.ErrDType, "not defined for bool"},
		{"add_scalar i32", unary(func(x graph.Value) graph.Value { return ops.AddScalar(x, 1) }), []graph.Type{i32(2)}, graph.ErrDType, "i32[2], want f32"},
		{"clip limits", unary(func(x graph.Value) graph.Value { return ops.Clip(x, 2, 1) }), []graph.Type{f32()}, graph.ErrInvalid, "2 and 1"},
		{"where on f32", func(in []graph.Value) graph.Value { return ops.Where(in[0], in[0], in[0]) }, []graph.Type{f32()}, graph.ErrDType, "cond f32, want bool"},
		{"where types", func(in []graph.Value) graph.Value { return ops.Where(in[0], in[1], in[2]) }, []graph.Type{boolean(), f32(), i32()}, graph.ErrDType, "x f32, y i32"},
		{"where extents", func(in []graph.Value) graph.Value { return ops.Where(in[0], in[1], in[1]) }, []graph.Type{boolean(4), f32(3)}, graph.ErrShape, "cond bool[4]"},
		{"cast", unary(castTo(graph.Float64)), []graph.Type{f32(2)}, graph.ErrDType, "x f32[2] to f64"},
		{"sum axis", unary(sumOver(2)), []graph.Type{f32(2, 3)}, graph.ErrShape, "axis 2 of x f32[2 3]: want -2..1"},
		{"sum axis twice", unary(sumOver(1, -1)), []graph.Type{f32(2, 3)}, graph.ErrShape, "named twice"},
		{"sum bool", unary(sumOver()), []graph.Type{boolean(2)}, graph.ErrDType, "x bool[2]"},
		{"mean axis", unary(func(x graph.Value) graph.Value { return ops.Mean(x, -3) }), []graph.Type{f32(2, 3)}, graph.ErrShape, "axis -3"},
		{"max of nothing", unary(maxOver(0)), []graph.Type{f32(0, 3)}, graph.ErrShape, "no elements"},
		{"argmax axis", unary(func(x graph.Value) graph.Value { return ops.ArgMax(x, 1) }), []graph.Type{f32(3)}, graph.ErrShape, "axis 1"},
		{"argmax i32", unary(func(x graph.Value) graph.Value { return ops.ArgMax(x, 0) }), []graph.Type{i32(3)}, graph.ErrDType, "i32[3], want f32"},
		{"softmax of scalar", unary(ops.Softmax), []graph.Type{f32()}, graph.ErrShape, "x f32 has no axes"},
		{"softmax i32", unary(ops.Softmax), []graph.Type{i32(3)}, graph.ErrDType, "want f32"},
		{"cross entropy label", binary(ops.CrossEntropy), []graph.Type{f32(5), f32()}, graph.ErrDType, "logits f32[5], label f32"},
		{"cross entropy shapes", binary(ops.CrossEntropy), []graph.Type{f32(3, 5), i32(4)}, graph.ErrShape, "logits f32[3 5], label i32[4]"},
		{"cross entropy scalar", binary(ops.CrossEntropy), []graph.Type{f32(), i32()}, graph.ErrShape, "logits f32, label i32"},
		{"dot", binary(ops.Dot), []graph.Type{f32(3), f32(1)}, graph.ErrShape, "x f32[3], y f32[1]"},
		{"distance of scalars", binary(ops.SquaredDistance), []graph.Type{f32(), f32()}, graph.ErrShape, "last axes"},
		{"layer norm gain", func(in []graph.Value) graph.Value { return ops.LayerNorm(in[0], in[1], in[0], 0) }, []graph.Type{f32(3), f32(1)}, graph.ErrShape, "y f32[1]"},
		{"layer norm eps", func(in []graph.Value) graph.Value { return ops.LayerNorm(in[0], in[0], in[0], -1) }, []graph.Type{f32(3)}, graph.ErrInvalid, "eps -1"},
		{"one hot f32", unary(func(x graph.Value) graph.Value { return ops.OneHot(x, 3) }), []graph.Type{f32()}, graph.ErrDType, "i f32, want i32"},
		{"one hot n", unary(func(x graph.Value) graph.Value { return ops.OneHot(x, 0) }), []graph.Type{i32()}, graph.ErrShape, "n is 0"},
		{"broadcast to fewer", unary(broadcastTo(4)), []graph.Type{f32(3, 4)}, graph.ErrShape, "x f32[3 4]"},
		{"broadcast to other", unary(broadcastTo(3, 5)), []graph.Type{f32(4)}, graph.ErrShape, "x f32[4] does not expand to f32[3 5]"},
		{"broadcast to smaller", unary(broadcastTo(1)), []graph.Type{f32(4)}, graph.ErrShape, "does not expand"},
		{"broadcast to list", unary(broadcastTo(anyLen, 4)), []graph.Type{f32(4)}, graph.ErrShape, "length is not known"},
		{"broadcast to -3", unary(broadcastTo(-3)), []graph.Type{f32(1)}, graph.ErrShape, "extent -3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := buildN(func(_ *graph.Module, in []graph.Value) graph.Value { return c.build(in) }, c.in...)
			require.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
			assert.ErrorContains(t, err, "_test.go:", "the mistake is that of the caller")
		})
	}
}

// TestPoisonedOperands checks that a mistake is reported once.
func TestPoisonedOperands(t *testing.T) {
	_, err := buildN(func(_ *graph.Module, in []graph.Value) graph.Value {
		bad := ops.Add(in[0], in[1])
		bad = ops.Sum(ops.LayerNorm(bad, bad, bad, 0), 3)
		bad = ops.Mean(ops.Softmax(ops.Dot(bad, in[0])))
		return ops.ZerosLike(ops.MaxOver(ops.Dropout(ops.BroadcastTo(bad, 3), 0.5)))
	}, f32(3), f32(4))
	var list interface{ Unwrap() []error }
	require.ErrorAs(t, err, &list)
	assert.Len(t, list.Unwrap(), 1)
}

// TestBadData checks the errors of kernels and of Eval about elements.
func TestBadData(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(x graph.Value) graph.Value
		x    *ops.Tensor
		want error
		text string
	}{
		{"one hot above", func(x graph.Value) graph.Value { return ops.OneHot(x, 3) }, optest.I(optest.Dims(2), 1, 3), ops.ErrIndex, "index 3, 3 elements"},
		{"one hot below", func(x graph.Value) graph.Value { return ops.OneHot(x, 3) }, optest.I(optest.Dims(1), -1), ops.ErrIndex, "index -1"},
		{"label above", func(x graph.Value) graph.Value { return ops.CrossEntropy(logits(x), x) }, optest.I(optest.Dims(2), 0, 3), ops.ErrIndex, "index 3, 3 elements"},
		{"label below", func(x graph.Value) graph.Value { return ops.CrossEntropy(logits(x), x) }, optest.I(optest.Dims(2), 0, -1), ops.ErrIndex, "index -1"},
		{"div", func(x graph.Value) graph.Value { return ops.Div(x, x) }, optest.I(optest.Dims(2), 2, 0), ops.ErrDivide, ""},
		{"mod", func(x graph.Value) graph.Value { return ops.Mod(x, x) }, optest.I(optest.Dims(2), 0, 2), ops.ErrDivide, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := build(c.f, c.x.Type())
			require.NoError(t, err)
			n := g.Results[0].Node()
			op := n.Op.(ops.Op)
			in := []*ops.Tensor{c.x}
			switch op.Name() {
			case "div", "mod":
				in = append(in, c.x)
			case "cross_entropy":
				in = []*ops.Tensor{ops.NewTensor(graph.Float32, 2, 3), c.x}
			}
			_, err = op.Eval(in)
			assert.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
			_, err = runKernel(op, n.Out[0], in...)
			assert.ErrorIs(t, err, c.want)
			assert.ErrorContains(t, err, c.text)
			var row *ops.RowError
			assert.ErrorAs(t, err, &row)
		})
	}
}

// logits returns zeros of 3 classes for the labels.
func logits(label graph.Value) graph.Value {
	return label.Module().Full(0, label.Type().Shape[0], 3)
}

// TestRowOfDivisionByZero checks that the row of a batch is named.
func TestRowOfDivisionByZero(t *testing.T) {
	g, err := build(func(x graph.Value) graph.Value { return ops.Div(x, x) }, i32())
	require.NoError(t, err)
	n := g.Results[0].Node()
	x := ops.Rows{I: []int32{4, 2, 0, 3}, Stride: 1}
	b := &ops.Batch{N: 4, In: []ops.Rows{x, x}, Out: ops.Rows{I: make([]int32, 4), Stride: 1}, Tmp: &ops.Scratch{}}
	var row *ops.RowError
	require.ErrorAs(t, n.Op.(ops.Op).Lower(n.InTypes(), n.Out[0]).Rows(b), &row)
	assert.Equal(t, 2, row.Row)
}

func TestIntegersWrapAround(t *testing.T) {
	least := optest.I(optest.Dims(), math.MinInt32)
	for name, c := range map[string]struct {
		f    func(x graph.Value) graph.Value
		want int32
	}{
		"add": {func(x graph.Value) graph.Value { return ops.Add(x, x) }, 0},
		"sub": {func(x graph.Value) graph.Value { return ops.Sub(ops.Neg(x), x) }, 0},
		"div": {func(x graph.Value) graph.Value { return ops.Div(x, x.Module().Int(-1)) }, math.MinInt32},
		"mod": {func(x graph.Value) graph.Value { return ops.Mod(x, x.Module().Int(-1)) }, 0},
	} {
		g, err := build(c.f, i32())
		require.NoError(t, err, name)
		got, err := optest.Eval(g, []*ops.Tensor{least})
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got[0].I[0], name)
	}
}

func TestNaNComparesFalse(t *testing.T) {
	x := optest.F(optest.Dims(2), math.NaN(), 1)
	for name, c := range map[string]struct {
		f    func(x, y graph.Value) graph.Value
		want []int32
	}{
		"less": {ops.Less, []int32{0, 0}}, "less_equal": {ops.LessEqual, []int32{0, 1}},
		"greater": {ops.Greater, []int32{0, 0}}, "greater_equal": {ops.GreaterEqual, []int32{0, 1}},
		"equal": {ops.Equal, []int32{0, 1}}, "not_equal": {ops.NotEqual, []int32{1, 0}},
	} {
		g, err := build(func(x graph.Value) graph.Value { return c.f(x, x) }, x.Type())
		require.NoError(t, err, name)
		n := g.Results[0].Node()
		op := n.Op.(ops.Op)
		eval, err := op.Eval([]*ops.Tensor{x, x})
		require.NoError(t, err, name)
		assert.Equal(t, c.want, eval.I, name)
		kernel, err := runKernel(op, n.Out[0], x, x)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, kernel.I, name)
	}
}

func TestNaNIsTheExtremum(t *testing.T) {
	x, y := optest.F(optest.Dims(2), math.NaN(), 1), optest.F(optest.Dims(2), 1, math.NaN())
	for name, f := range map[string]func(x, y graph.Value) graph.Value{"maximum": ops.Maximum, "minimum": ops.Minimum} {
		g, err := buildN(func(_ *graph.Module, in []graph.Value) graph.Value { return f(in[0], in[1]) }, x.Type(), y.Type())
		require.NoError(t, err, name)
		op := g.Results[0].Node().Op.(ops.Op)
		eval, err := op.Eval([]*ops.Tensor{x, y})
		require.NoError(t, err, name)
		assertFloats(t, []float64{math.NaN(), math.NaN()}, eval.F, name)
		kernel, err := runKernel(op, x.Type(), x, y)
		require.NoError(t, err, name)
		assertFloats(t, []float64{math.NaN(), math.NaN()}, kernel.F, name)
	}
}

// TestListsOfDifferentLengths checks that whole tensors that do not fit are refused.
func TestListsOfDifferentLengths(t *testing.T) {
	g, err := buildN(func(_ *graph.Module, in []graph.Value) graph.Value { return ops.Add(in[0], in[1]) }, f32(anyLen), f32(anyLen))
	require.NoError(t, err)
	_, err = g.Results[0].Node().Op.(ops.Op).Eval([]*ops.Tensor{optest.F(optest.Dims(2), 1, 2), optest.F(optest.Dims(3), 1, 2, 3)})
	assert.ErrorIs(t, err, ops.ErrLength)
}

func TestCastOfExtremes(t *testing.T) {
	x := optest.F(optest.Dims(7), math.NaN(), inf, -inf, 3e9, -3e9, 2.9, -2.9)
	want := []int32{0, math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32, 2, -2}
	kernel, eval := runBoth(t, castTo(graph.Int32), x)
	assert.Equal(t, want, kernel.I)
	assert.Equal(t, want, eval.I)
	kernel, eval = runBoth(t, castTo(graph.Boolean), optest.F(optest.Dims(3), math.NaN(), 0, -0.5))
	assert.Equal(t, []int32{1, 0, 1}, kernel.I)
	assert.Equal(t, kernel.I, eval.I)
}

func TestCastToTheSameType(t *testing.T) {
	_, err := build(func(x graph.Value) graph.Value {
		assert.Equal(t, x, ops.Cast(x, graph.Float32))
		return x
	}, f32(2))
	require.NoError(t, err)
}

// TestCrossEntropyOfLargeLogits checks that nothing overflows or cancels.
func TestCrossEntropyOfLargeLogits(t *testing.T) {
	in := []*ops.Tensor{optest.F(optest.Dims(2, 3), 1e4, 0, -1e4, 1e4, 0, 1e4-20), optest.I(optest.Dims(2), 1, 0)}
	g, err := buildN(func(_ *graph.Module, in []graph.Value) graph.Value { return ops.CrossEntropy(in[0], in[1]) }, in[0].Type(), in[1].Type())
	require.NoError(t, err)
	got, err := runKernel(g.Results[0].Node().Op.(ops.Op), f32(2), in...)
	require.NoError(t, err)
	assert.Equal(t, 1e4, got.F[0])
	assert.InDelta(t, 0, got.F[1], 1e-7)

	in = []*ops.Tensor{optest.F(optest.Dims(2, 2), 0, 1000, 0, 1000), optest.I(optest.Dims(2), 0, 1)}
	g, err = buildN(func(_ *graph.Module, in []graph.Value) graph.Value { return ops.CrossEntropy(in[0], in[1]) }, in[0].Type(), in[1].Type())
	require.NoError(t, err)
	eval, err := g.Results[0].Node().Op.(ops.Op).Eval(in)
	require.NoError(t, err)
	assert.Equal(t, []float64{1000, 0}, eval.F)
}
