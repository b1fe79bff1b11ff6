package exec

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// buildOne is a program with one graph.
func buildOne(t *testing.T, in, out graph.Value, body func(x graph.Value) graph.Value) (*graph.Program, *recursion.SubGraph[graph.Value, graph.Value]) {
	t.Helper()
	m := graph.NewModule("one")
	f := recursion.Declare(m, "f", in, out).Define(body)
	p, err := m.Build()
	require.NoError(t, err)
	return p, f
}

func TestVariablesOfAnotherProgram(t *testing.T) {
	program := func() (*graph.Program, graph.Value) {
		m := graph.NewModule("m")
		w := m.Var("w", graph.F32(3), graph.Zeros())
		recursion.Declare(m, "f", graph.F32(3), graph.F32(3)).Define(func(x graph.Value) graph.Value { return ops.Mul(x, w) })
		p, err := m.Build()
		require.NoError(t, err)
		return p, w
	}
	a, _ := program()
	_, other := program()
	params := NewParameters(a, 1)
	require.ErrorIs(t, params.Set(other.Variable(), []float32{1, 2, 3}), ErrInput)
	require.ErrorIs(t, params.Set(nil, nil), ErrInput)
	require.Nil(t, params.Value(other.Variable()))
	require.Equal(t, []float32{0, 0, 0}, params.Value(a.Variables[0]))
}

func TestGraphsOfAnotherProgram(t *testing.T) {
	same := func(x graph.Value) graph.Value { return x }
	p, f := buildOne(t, graph.F32(), graph.F32(), same)
	_, other := buildOne(t, graph.F32(), graph.F32(), same)
	s, err := New(p, Options{})
	require.NoError(t, err)
	_, err = Bind[float32, float32](s, other)
	require.ErrorIs(t, err, ErrInput)
	require.ErrorContains(t, err, "another program")
	_, err = Bind[float32, float32, graph.Value, graph.Value](nil, nil)
	require.ErrorIs(t, err, ErrInput)
	_, err = s.Run(context.Background(), nil, nil)
	require.ErrorIs(t, err, ErrInput)
	_, err = New(nil, Options{})
	require.ErrorIs(t, err, ErrInput)
	_, err = New(p, Options{MaxDepth: -3})
	require.EqualError(t, err, "input does not fit: Options.MaxDepth is -3, want 0 or more")
	_, err = Bind[float32, float32](s, f)
	require.NoError(t, err)
}

func TestTruthValuesAreZeroOrOne(t *testing.T) {
	p, f := buildOne(t, graph.Bool(2), graph.Bool(2), ops.Not)
	for _, reference := range []bool{false, true} {
		s, err := New(p, Options{Reference: reference})
		require.NoError(t, err)
		_, err = s.Run(context.Background(), f.Graph(), [][]Array{{{Shape: []int{2}, I: []int32{1, 7}}}})
		require.ErrorIs(t, err, ErrInput)
		require.ErrorContains(t, err, "element 1 of bool[2] is 7")
	}
}

func TestNumbersThatDoNotFit(t *testing.T) {
	p, f := buildOne(t, graph.F32(2), graph.F32(2), ops.Neg)
	s, err := New(p, Options{})
	require.NoError(t, err)
	run, err := Bind[[]float64, []float32](s, f)
	require.NoError(t, err)
	_, err = run(context.Background(), []float64{1, 1e300})
	require.ErrorIs(t, err, ErrInput)
	got, err := run(context.Background(), []float64{1, math.Inf(1)})
	require.NoError(t, err)
	require.Equal(t, []float32{-1, float32(math.Inf(-1))}, got)
}

func TestFlatSlicesAndLongIntegers(t *testing.T) {
	p, f := buildOne(t, graph.F32(graph.Any, 2), graph.F32(graph.Any, 2), ops.Neg)
	s, err := New(p, Options{})
	require.NoError(t, err)
	flat, err := Bind[[]float32, [][]float32](s, f)
	require.NoError(t, err)
	got, err := flat(context.Background(), []float32{1, 2, 3, 4})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{-1, -2}, {-3, -4}}, got)
	_, err = flat(context.Background(), []float32{1, 2, 3})
	require.ErrorIs(t, err, ErrInput)

	p, f = buildOne(t, graph.I32(graph.Any), graph.I32(graph.Any), ops.Neg)
	s, err = New(p, Options{})
	require.NoError(t, err)
	long, err := Bind[[]int64, []int64](s, f)
	require.NoError(t, err)
	ints, err := long(context.Background(), []int64{5, -6})
	require.NoError(t, err)
	require.Equal(t, []int64{-5, 6}, ints)
	_, err = long(context.Background(), []int64{1 << 40})
	require.ErrorIs(t, err, ErrInput)
}

func TestMemoryLimitCountsTemporaries(t *testing.T) {
	p, f := buildOne(t, graph.I32(), graph.F32(), func(i graph.Value) graph.Value { return ops.Sum(ops.OneHot(i, 1<<24)) })
	s, err := New(p, Options{Workers: 1, Memory: 1 << 20})
	require.NoError(t, err)
	_, err = s.Run(context.Background(), f.Graph(), [][]Array{{{I: []int32{3}}}})
	require.ErrorIs(t, err, ErrMemory)
}

// lostRow is an operator whose kernel blames a row that does not exist.
type lostRow struct{ ops.Op }

func (lostRow) Lower([]graph.Type, graph.Type) ops.Lowering {
	return ops.Lowering{Rows: func(*ops.Batch) error { return &ops.RowError{Row: 99, Err: ops.ErrIndex} }}
}

func TestKernelThatBlamesAMissingRow(t *testing.T) {
	p, f := buildOne(t, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
		return graph.Apply(lostRow{ops.Tanh(x).Node().Op.(ops.Op)}, x)
	})
	s, err := New(p, Options{})
	require.NoError(t, err)
	_, err = s.Run(context.Background(), f.Graph(), [][]Array{{{F: []float32{1}}}})
	require.ErrorIs(t, err, ErrPanic)
	require.ErrorIs(t, err, ops.ErrIndex)
}

func TestReferenceReportsDepthAsTheExecutorDoes(t *testing.T) {
	p, g := fibProgram(t)
	for _, reference := range []bool{false, true} {
		s, err := New(p, Options{Reference: reference, MaxDepth: 5})
		require.NoError(t, err)
		_, err = s.Run(context.Background(), g, [][]Array{scalar(20)})
		require.ErrorIs(t, err, ErrDepth)
	}
}
