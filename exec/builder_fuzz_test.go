package exec

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// FuzzBuild reads bytes as calls of the builders with whatever values there are:
// of wrong types, of other modules and bodies, zero, descriptions. Mistakes must
// come out of Build as errors. What builds must also be planned and executed
// without a panic.
func FuzzBuild(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	f.Add([]byte{8, 0, 8, 1, 8, 2, 8, 3, 8, 4, 8, 5, 8, 6, 8, 7, 8, 8, 8, 9})
	f.Add([]byte{9, 3, 3, 9, 4, 4, 9, 5, 0, 10, 1, 1, 10, 2, 2, 11, 3, 0, 12, 4, 1, 255, 13, 2, 2, 14, 9, 1, 15, 1, 1, 7, 7})
	for seed := range byte(8) { // longer ones, of all kinds of calls
		code := make([]byte, 200)
		x := uint32(seed) + 1
		for i := range code {
			x = x*1664525 + 1013904223
			code[i] = byte(x >> 24)
		}
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		m := graph.NewModule("fuzz")
		b := &fuzzBuilder{m: m, code: code[:min(len(code), 400)]}
		main := recursion.Declare(m, "main", b.signature(), []graph.Value{graph.F32(), graph.F32(graph.Any, 2)})
		b.fns = append(b.fns, main)
		b.values = append(b.values, graph.Value{}, graph.Poisoned(), graph.F32(3), b.foreign())
		main.Define(func(in []graph.Value) []graph.Value { return b.body(in, 2) })
		p, err := m.Build()
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		s, err := New(p, Options{Workers: 1, MaxDepth: 50, Memory: 1 << 26})
		require.NoError(t, err, "%v", p)
		in := [][]Array{{integer(2), number(0.5), {Shape: []int{2, 2}, F: []float32{1, 2, 3, 4}}}}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond) // the recursion may be endless
		defer cancel()
		_, err = s.Run(ctx, main.Graph(), in)
		require.NotErrorIs(t, err, ErrPanic, "%v", p)
		_, err = s.Gradients(ctx, main.Graph(), in, GradOptions{})
		require.NotErrorIs(t, err, ErrPanic, "%v", p)
	})
}

// fuzzBuilder calls builders as bytes say.
type fuzzBuilder struct {
	m      *graph.Module
	code   []byte
	values []graph.Value // made anywhere, visible or not
	fns    []*recursion.SubGraph[[]graph.Value, []graph.Value]
}

func (b *fuzzBuilder) next() int {
	if len(b.code) == 0 {
		return 0
	}
	c := b.code[0]
	b.code = b.code[1:]
	return int(c)
}

func (b *fuzzBuilder) value() graph.Value { return b.values[b.next()%len(b.values)] }

func (b *fuzzBuilder) some() []graph.Value {
	vs := make([]graph.Value, b.next()%4)
	for i := range vs {
		vs[i] = b.value()
	}
	return vs
}

func (b *fuzzBuilder) signature() []graph.Value {
	return []graph.Value{graph.I32(), graph.F32(), graph.F32(graph.Any, 2)}
}

// foreign is a value of another module.
func (b *fuzzBuilder) foreign() graph.Value {
	var v graph.Value
	f := recursion.Declare(graph.NewModule("other"), "f", graph.F32(), graph.F32())
	f.Define(func(x graph.Value) graph.Value { v = x; return x })
	return v
}

// body makes calls, then returns two of the values that fit or any.
func (b *fuzzBuilder) body(in []graph.Value, depth int) []graph.Value {
	b.values = append(b.values, in...)
	for range 4 + b.next()%12 {
		if len(b.code) == 0 {
			break
		}
		b.call(depth)
	}
	return []graph.Value{b.of(graph.T(graph.Float32)), b.of(graph.T(graph.Float32, graph.Any, 2))}
}

// of returns a value of the type, mostly.
func (b *fuzzBuilder) of(t graph.Type) graph.Value {
	if b.next()%32 == 31 {
		return b.value()
	}
	for i := len(b.values) - 1; i >= 0; i-- {
		if v := b.values[i]; v.Node() != nil && v.Type().Equal(t) && v.Module() == b.m {
			return v
		}
	}
	return b.value()
}

var (
	fuzzUnary = []func(graph.Value) graph.Value{
		ops.Tanh, ops.Neg, ops.Relu, ops.Softmax, ops.Len, ops.Range, ops.Not, ops.Square, ops.StopGradient, ops.LogSoftmax, ops.ZerosLike,
		func(x graph.Value) graph.Value { return ops.Sum(x) },
		func(x graph.Value) graph.Value { return ops.Transpose(x) },
		func(x graph.Value) graph.Value { return ops.Mean(x, 0) },
		func(x graph.Value) graph.Value { return ops.Cast(x, graph.Int32) },
	}
	fuzzBinary = []func(x, y graph.Value) graph.Value{
		ops.Sub, ops.Mul, ops.Div, ops.MatMul, ops.MatMulT, ops.At, ops.Outer, ops.Less, ops.And, ops.CrossEntropy, ops.Dot, ops.WeightedSum,
		func(x, y graph.Value) graph.Value { return ops.Add(x, y) },
	}
)

func (b *fuzzBuilder) add(vs ...graph.Value) { b.values = append(b.values, vs...) }

func (b *fuzzBuilder) call(depth int) {
	n := func() int { return b.next()%7 - 2 }
	switch b.next() % 20 {
	case 0:
		b.add(fuzzUnary[b.next()%len(fuzzUnary)](b.value()))
	case 1, 2:
		b.add(fuzzBinary[b.next()%len(fuzzBinary)](b.value(), b.value()))
	case 3:
		b.add(ops.Slice(b.value(), n(), n(), n()), ops.Pad(b.value(), n(), n(), n()))
	case 4:
		b.add(ops.Reshape(b.value(), n(), n()), ops.BroadcastTo(b.value(), n(), n()))
	case 5:
		b.add(ops.Split(b.value(), max(n(), 0))...)
	case 6:
		b.add(ops.Concat(b.some()...), ops.Stack(b.some()...), ops.ConcatAxis(n(), b.some()...))
	case 7:
		b.add(ops.List(b.some()...), ops.Join(b.some()...), ops.Span(b.value(), b.value(), b.value()))
	case 8:
		b.add(b.m.Int(n()), b.m.Float(float64(n())), b.m.True(n() > 0), b.m.Full(0.5, n(), n()), b.m.Floats([]float32{1, 2}, n()))
	case 9:
		b.add(b.m.Var(string(rune('a'+b.next()%20)), graph.F32(1+b.next()%3, 2), graph.Uniform(1)))
	case 10:
		b.m.Freeze(b.value())
	case 11:
		recursion.Loss(b.value())
		recursion.Collect("t", b.value(), b.value())
	case 12:
		b.add(ops.Where(b.value(), b.value(), b.value()), ops.LayerNorm(b.value(), b.value(), b.value(), 0.1), ops.Bilinear(b.value(), b.value(), b.value()))
	case 13:
		b.add(ops.Dropout(b.value(), float64(n())/3), ops.OneHot(b.value(), n()), ops.ArgMax(b.value(), n()), ops.MaxOver(b.value(), n()), ops.SoftmaxAxis(b.value(), n()))
	case 14:
		b.add(b.fns[b.next()%len(b.fns)].Invoke([]graph.Value{b.of(graph.T(graph.Int32)), b.of(graph.T(graph.Float32)), b.of(graph.T(graph.Float32, graph.Any, 2))})...)
	case 15:
		b.add(b.fns[b.next()%len(b.fns)].Invoke(b.some())...)
	case 16:
		b.declare(depth)
	default:
		b.construct(depth)
	}
}

// declare adds a function, sometimes without a body, sometimes with two.
func (b *fuzzBuilder) declare(depth int) {
	if depth == 0 {
		return
	}
	out := []graph.Value{graph.F32(), graph.F32(graph.Any, 2)}
	if b.next()%16 == 15 {
		out = b.some()
	}
	f := recursion.Declare(b.m, "f", b.signature(), out)
	b.fns = append(b.fns, f)
	for range []int{1, 1, 1, 1, 0, 2}[b.next()%6] {
		f.Define(func(in []graph.Value) []graph.Value { return b.body(in, depth-1) })
	}
}

func (b *fuzzBuilder) construct(depth int) {
	if depth == 0 {
		return
	}
	body := func() []graph.Value { return b.body(nil, depth-1) }
	with := func(in []graph.Value) []graph.Value { return b.body(in, depth-1) }
	switch b.next() % 5 {
	case 0:
		b.add(recursion.If(b.of(graph.T(graph.Boolean)), body, body)...)
	case 1:
		b.add(recursion.Switch(b.of(graph.T(graph.Int32)), body, body, body)...)
	case 2:
		b.add(recursion.Map(b.some(), with)...)
	case 3:
		b.add(recursion.Fold(b.some(), b.some(), func(acc, x []graph.Value) []graph.Value { return with(append(acc, x...)) })...)
	case 4:
		b.add(recursion.Loop(b.some(), func(st []graph.Value) graph.Value { return b.of(graph.T(graph.Boolean)) }, with)...)
	}
}
