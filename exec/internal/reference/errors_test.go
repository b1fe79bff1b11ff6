package reference_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/internal/reference"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// here returns file:line of its caller, moved by some lines.
func here(lines int) string {
	_, _, line, _ := runtime.Caller(1)
	return fmt.Sprintf("errors_test.go:%d", line+lines)
}

func TestErrorTellsPathAndPosition(t *testing.T) {
	// subtree(i) follows links until it meets one that leads nowhere.
	var pos string
	g := build(t, func(m *graph.Module) {
		classify := recursion.Declare(m, "main", graph.I32(graph.Any), graph.I32())
		classify.Define(func(next graph.Value) graph.Value {
			subtree := recursion.Declare(m, "subtree", graph.I32(), graph.I32())
			subtree.Define(func(i graph.Value) graph.Value {
				return recursion.If(ops.Less(i, m.Int(0)), func() graph.Value { return i }, func() graph.Value {
					pos = here(1)
					return subtree.Invoke(ops.At(next, i))
				})
			})
			return subtree.Invoke(m.Int(0))
		})
	})
	err := fail(t, reference.Options{}, reference.Request{Graph: g, Inputs: []*ops.Tensor{ints(1, 2, 3, 4, 9)}})
	assert.EqualError(t, err, "main -> subtree x6 -> subtree.else: at ("+pos+"): index out of range: index 9, 5 elements")
	assert.ErrorIs(t, err, ops.ErrIndex)
	var runError *reference.RunError
	require.ErrorAs(t, err, &runError)
	assert.Equal(t, "at", runError.Op)
	assert.Equal(t, pos, runError.Pos.String())
	assert.Equal(t, "main -> subtree x6 -> subtree.else", runError.Path)
}

// endless calls itself forever.
func endless(t *testing.T) *graph.Graph {
	return function(t, graph.I32(), graph.I32(), func(self selfOf, n graph.Value) graph.Value {
		return self.Invoke(ops.Add(n, n.Module().Int(1)))
	})
}

func TestRunawayRecursionIsAnError(t *testing.T) {
	err := fail(t, reference.Options{MaxDepth: 1000}, reference.Request{Graph: endless(t), Inputs: []*ops.Tensor{integer(0)}})
	assert.ErrorIs(t, err, reference.ErrDepth)
	assert.ErrorContains(t, err, "main x1000: invoke (errors_test.go:")
	assert.ErrorContains(t, err, "recursion too deep: the limit is 1000 calls within calls")
}

func TestDepthLimitCountsNestingOnly(t *testing.T) {
	g := function(t, graph.I32(graph.Any), graph.I32(graph.Any), func(_ selfOf, xs graph.Value) graph.Value {
		return recursion.Map(xs, func(x graph.Value) graph.Value { return ops.Neg(x) })
	})
	r, err := reference.Run(context.Background(), reference.Options{MaxDepth: 2}, reference.Request{Graph: g, Inputs: []*ops.Tensor{ints(1, 2, 3)}})
	require.NoError(t, err)
	sameTensor(t, ints(-1, -2, -3), r.Results[0])
	err = fail(t, reference.Options{MaxDepth: 1}, reference.Request{Graph: g, Inputs: []*ops.Tensor{ints(1, 2, 3)}})
	assert.ErrorIs(t, err, reference.ErrDepth)
}

func TestContextStopsTheRun(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := reference.Run(ctx, reference.Options{}, reference.Request{Graph: endless(t), Inputs: []*ops.Tensor{integer(0)}})
	assert.ErrorIs(t, err, cause)
}

func TestErrorsOfOperators(t *testing.T) {
	type in struct{ X, Y graph.Value }
	g := function(t, in{graph.I32(), graph.I32()}, graph.I32(), func(_ *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		return ops.Div(v.X, v.Y)
	})
	err := fail(t, reference.Options{}, reference.Request{Graph: g, Inputs: []*ops.Tensor{integer(1), integer(0)}})
	assert.ErrorIs(t, err, ops.ErrDivide)
	assert.ErrorContains(t, err, "main: div (errors_test.go:")
}

func TestRequestIsChecked(t *testing.T) {
	var w *graph.Variable
	g := build(t, func(m *graph.Module) {
		v := m.Var("w", graph.F32(2), graph.Zeros())
		w = v.Variable()
		f := recursion.Declare(m, "main", graph.F32(graph.Any, 2), graph.F32(graph.Any, 2))
		f.Define(func(x graph.Value) graph.Value { return ops.Mul(x, v) })
	})
	x := floats([]int{3, 2}, 1, 2, 3, 4, 5, 6)
	good := map[*graph.Variable]*ops.Tensor{w: floats([]int{2}, 1, 2)}
	for _, c := range []struct {
		r    reference.Request
		is   error
		want string
	}{
		{reference.Request{Vars: good}, graph.ErrShape, "got 0 inputs, want 1"},
		{reference.Request{Vars: good, Inputs: []*ops.Tensor{nil}}, graph.ErrShape, "input 0: shape error: missing, want f32[? 2]"},
		{reference.Request{Vars: good, Inputs: []*ops.Tensor{ints(1)}}, graph.ErrDType, "input 0: element type error: got i32[1], want f32[? 2]"},
		{reference.Request{Vars: good, Inputs: []*ops.Tensor{floats([]int{1, 3}, 1, 2, 3)}}, graph.ErrShape, "got f32[1 3], want f32[? 2]"},
		{reference.Request{Vars: good, Inputs: []*ops.Tensor{floats([]int{2, 2}, 1)}}, graph.ErrShape, "1 elements for f32[2 2]"},
		{reference.Request{Inputs: []*ops.Tensor{x}}, graph.ErrUndefined, `variable "w" has no value in this run`},
		{reference.Request{Inputs: []*ops.Tensor{x}, Vars: map[*graph.Variable]*ops.Tensor{w: scalar(1)}}, graph.ErrShape, "variable w: shape error: got f32, want f32[2]"},
		{reference.Request{Vars: good, Inputs: []*ops.Tensor{x}, Cotangents: []*ops.Tensor{x, x}}, graph.ErrShape, "got 2 cotangents, want 1 or none"},
		{reference.Request{Vars: good, Inputs: []*ops.Tensor{x}, Cotangents: []*ops.Tensor{scalar(1)}}, graph.ErrShape, "cotangent 0: shape error"},
	} {
		c.r.Graph = g
		err := fail(t, reference.Options{}, c.r)
		assert.ErrorIs(t, err, c.is)
		assert.ErrorContains(t, err, c.want)
		assert.ErrorContains(t, err, "running main: ")
	}
}

// rough is an operator whose author gave it no gradient rule.
type rough struct{}

func (rough) Name() string                                { return "rough" }
func (rough) Attrs() []graph.Attr                         { return nil }
func (rough) Infer(in []graph.Type) ([]graph.Type, error) { return in, nil }
func (rough) Lower([]graph.Type, graph.Type) ops.Lowering { return ops.Lowering{} }
func (rough) Eval(in []*ops.Tensor) (*ops.Tensor, error)  { return in[0], nil }

func TestMissingGradientRuleIsNamed(t *testing.T) {
	var pos string
	g := function(t, graph.F32(), graph.F32(), func(_ selfOf, x graph.Value) graph.Value {
		return recursion.If(x.Module().True(true), func() graph.Value {
			pos = here(1)
			return graph.Apply(rough{}, x)
		}, func() graph.Value { return x })
	})
	r := reference.Request{Graph: g, Inputs: []*ops.Tensor{scalar(2)}}
	out, err := reference.Run(context.Background(), reference.Options{}, r)
	require.NoError(t, err, "without gradients nothing is missing")
	sameTensor(t, scalar(2), out.Results[0])
	r.Grad = true
	err = fail(t, reference.Options{}, r)
	assert.ErrorIs(t, err, reference.ErrNoGradient)
	assert.ErrorContains(t, err, "main.then: rough ("+pos+"): no gradient rule")
}

// liar is an operator whose Eval does not keep what Infer promises.
type liar struct{ rough }

func (liar) Infer([]graph.Type) ([]graph.Type, error) {
	return []graph.Type{graph.T(graph.Float32, 2)}, nil
}

func TestWrongResultOfAnOperatorIsFound(t *testing.T) {
	g := function(t, graph.F32(), graph.F32(2), func(_ selfOf, x graph.Value) graph.Value { return graph.Apply(liar{}, x) })
	err := fail(t, reference.Options{}, reference.Request{Graph: g, Inputs: []*ops.Tensor{scalar(2)}})
	assert.ErrorContains(t, err, "the operator's own result: shape error: got f32, want f32[2]")
}

func TestCallPath(t *testing.T) {
	words := func(s string) []string { return strings.Fields(s) }
	repeat := func(s string, n int) []string { return slices.Repeat(words(s), n) }
	for want, names := range map[string][]string{
		"":                              nil,
		"main":                          words("main"),
		"main -> a x3":                  words("main a a a"),
		"main -> a x37 -> a.else":       slices.Concat(words("main"), repeat("a", 37), words("a.else")),
		"main -> (even -> odd) x500":    slices.Concat(words("main"), repeat("even odd", 500)),
		"(even -> odd) x2 -> even -> x": words("even odd even odd even x"),
		"(a -> b -> b) x4 -> c":         slices.Concat(repeat("a b b", 4), words("c")),
		"a x1000000":                    repeat("a", 1_000_000),
		"a -> b -> c -> a x2 -> d":      words("a b c a a d"),
	} {
		assert.Equal(t, want, reference.CallPath(names))
	}
}

func TestCallPathOfIrregularRecursionIsShort(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprint("f", i))
	}
	path := reference.CallPath(names)
	assert.True(t, strings.HasPrefix(path, "f0 -> f1 -> "), path)
	assert.Contains(t, path, " -> ... -> ")
	assert.True(t, strings.HasSuffix(path, " -> f998 -> f999"), path)
	assert.Less(t, len(path), 400)
}
