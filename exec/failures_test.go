package exec

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

type indexed struct{ Table, I, N graph.Value }

// lookUpProgram picks element I of Table after N nested invocations.
func lookUpProgram(t testing.TB) (*graph.Program, *graph.Graph) {
	return function(t, indexed{graph.F32(graph.Any), graph.I32(), graph.I32()}, graph.F32(),
		func(m *graph.Module, self *recursion.SubGraph[indexed, graph.Value], v indexed) graph.Value {
			return recursion.If(ops.Equal(v.N, m.Int(0)), func() graph.Value {
				return ops.Tanh(ops.At(v.Table, v.I))
			}, func() graph.Value {
				return ops.Add(self.Invoke(indexed{v.Table, v.I, ops.Sub(v.N, m.Int(1))}), m.Float(1))
			})
		})
}

func TestIndexOutOfRange(t *testing.T) {
	p, g := lookUpProgram(t)
	for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 1, Batching: BatchOff}, {Workers: 1, NoSharing: true}} {
		s := session(t, p, o)
		table := numbers(0, 1, 2)
		r, err := s.Run(context.Background(), g, [][]Array{
			{table, integer(1), integer(3)}, {table, integer(7), integer(5)}, {table, integer(2), integer(3)}, {table, integer(-1), integer(0)}})
		require.ErrorIs(t, err, ops.ErrIndex)
		require.InDelta(t, 3+math.Tanh(1), r.Outputs[0][0].F[0], 1e-6)
		require.InDelta(t, 3+math.Tanh(2), r.Outputs[2][0].F[0], 1e-6)
		require.Nil(t, r.Outputs[1])
		require.Nil(t, r.Outputs[3])

		_, err = s.Run(context.Background(), g, [][]Array{{table, integer(1), integer(3)}, {table, integer(7), integer(5)}})
		e, ok := errors.AsType[*RunError](err)
		require.True(t, ok)
		assert.Equal(t, 1, e.Root)
		assert.Equal(t, "at", e.Op)
		assert.Regexp(t, `^failures_test\.go:\d+$`, e.Pos.String())
		assert.Regexp(t, `main x6`, e.Path)
		assert.Contains(t, err.Error(), "index 7, 3 elements")
	}
}

// Bad data of one of several concurrent runs concern that run alone.
func TestBadDataAmongConcurrentRuns(t *testing.T) {
	p, g := lookUpProgram(t)
	for _, o := range []Options{{Workers: 1}, {Workers: 2, Batching: 2}} {
		s := session(t, p, o)
		var group errgroup.Group
		for i := range 4 {
			group.Go(func() error {
				for n := range int32(200) {
					index := n % 3
					if i == 3 {
						index = 3 + n
					}
					r, err := s.Run(context.Background(), g, [][]Array{{numbers(0, 1, 2), integer(index), integer(n % 17)}})
					if i == 3 {
						if !errors.Is(err, ops.ErrIndex) {
							return errors.Join(errors.New("no index error"), err)
						}
						continue
					}
					if err != nil {
						return err
					}
					if want, got := math.Tanh(float64(index))+float64(n%17), float64(r.Outputs[0][0].F[0]); math.Abs(want-got) > 1e-5 {
						return errors.New("wrong result")
					}
				}
				return nil
			})
		}
		require.NoError(t, group.Wait())
	}
}

func TestGradientsFailWithBadData(t *testing.T) {
	p, g := lookUpProgram(t)
	for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 2, Deterministic: true}} {
		s := session(t, p, o)
		good := []Array{numbers(0.5, 1, 2), integer(0), integer(3)}
		bad := []Array{numbers(0.5, 1, 2), integer(3), integer(2)}
		cts := [][]Array{{number(2)}, {number(2)}, {number(2)}}
		for range 3 {
			r, err := s.Gradients(context.Background(), g, [][]Array{good, bad, good}, GradOptions{Cotangents: cts})
			require.ErrorIs(t, err, ops.ErrIndex)
			require.Nil(t, r.Gradients)
			r, err = s.Gradients(context.Background(), g, [][]Array{good, good, good}, GradOptions{Cotangents: cts})
			require.NoError(t, err)
			y := math.Tanh(0.5)
			for i := range 3 {
				require.InDelta(t, 2*(1-y*y), r.InputGrads[i][0].F[0], 1e-6)
			}
		}
	}
}

func TestCheckFiniteNamesTheFirstOperator(t *testing.T) {
	type in struct{ X, N graph.Value }
	p, g := function(t, in{graph.F32(2), graph.I32()}, graph.F32(2), func(m *graph.Module, self *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		return recursion.If(ops.Equal(v.N, m.Int(0)), func() graph.Value { return ops.Exp(ops.Sqrt(v.X)) }, func() graph.Value {
			return ops.Tanh(self.Invoke(in{ops.AddScalar(v.X, -1), ops.Sub(v.N, m.Int(1))}))
		})
	})
	bad := []Array{numbers(1.5, 9), integer(3)} // the root of -1.5 at the bottom
	good := []Array{numbers(5, 9), integer(3)}
	for _, o := range []Options{{Workers: 1, CheckFinite: true}, {Workers: 1, CheckFinite: true, Batching: BatchOff}} {
		s := session(t, p, o)
		r, err := s.Run(context.Background(), g, [][]Array{good, bad, good})
		require.ErrorIs(t, err, ErrNonFinite)
		e, ok := errors.AsType[*RunError](err)
		require.True(t, ok)
		assert.Equal(t, "sqrt", e.Op, "neither exp nor tanh, which only hand it on")
		assert.Equal(t, 1, e.Root)
		assert.Contains(t, err.Error(), "NaN")
		require.NotNil(t, r.Outputs[0])
		require.NotNil(t, r.Outputs[2])
	}
	r, err := session(t, p, Options{Workers: 1}).Run(context.Background(), g, [][]Array{bad})
	require.NoError(t, err)
	require.True(t, math.IsNaN(float64(r.Outputs[0][0].F[0])), "without the option NaN is a number like others")
	require.False(t, math.IsNaN(float64(r.Outputs[0][0].F[1])))
}

func TestListErrors(t *testing.T) {
	type in struct{ A, B, I graph.Value }
	n := graph.Any
	p, g := function(t, in{graph.F32(n), graph.F32(n), graph.I32()}, graph.F32(n), func(m *graph.Module, _ *recursion.SubGraph[in, graph.Value], v in) graph.Value {
		return recursion.Switch(v.I, func() graph.Value {
			return recursion.Map([2]graph.Value{v.A, v.B}, func(x [2]graph.Value) graph.Value { return ops.Mul(x[0], x[1]) })
		}, func() graph.Value {
			return ops.Add(v.A, v.B)
		}, func() graph.Value {
			return ops.List(ops.MaxOver(v.A))
		}, func() graph.Value {
			return ops.Span(v.A, m.Int(1), m.Int(3))
		})
	})
	s := session(t, p, Options{Workers: 1})
	for _, c := range []struct {
		a, b Array
		i    int32
		want error
		text string
	}{
		{numbers(1, 2, 3), numbers(1, 2), 0, ops.ErrLength, "map"},
		{numbers(1, 2, 3), numbers(1, 2), 1, ops.ErrLength, "add"},
		{numbers(), numbers(1, 2), 2, ops.ErrLength, "max"},
		{numbers(1, 2), numbers(1, 2), 3, ops.ErrIndex, "span"},
		{numbers(1, 2), numbers(1, 2), 4, ops.ErrIndex, "select"},
		{numbers(1, 2), numbers(1, 2), -1, ops.ErrIndex, "select"},
		{numbers(1, 2, 3), numbers(1, 2, 3), 1, nil, ""},
		{numbers(), numbers(), 0, nil, ""},
	} {
		r, err := s.Run(context.Background(), g, [][]Array{{c.a, c.b, integer(c.i)}, {numbers(1, 2, 3), numbers(2, 2, 2), integer(0)}})
		if c.want == nil {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, c.want, c.text)
			require.Equal(t, 1, strings.Count(err.Error(), "failures_test.go:"), "%v", err)
			require.Contains(t, err.Error(), c.text+" (failures_test.go:")
		}
		require.Equal(t, []float32{2, 4, 6}, r.Outputs[1][0].F)
	}
}

func TestWrongInputs(t *testing.T) {
	p, g := lookUpProgram(t)
	s := session(t, p, Options{Workers: 1})
	for name, in := range map[string][]Array{
		"too few":        {numbers(1), integer(0)},
		"too many":       {numbers(1), integer(0), integer(0), integer(0)},
		"float for int":  {numbers(1), number(0), integer(0)},
		"int for float":  {integers(1), integer(0), integer(0)},
		"scalar list":    {number(1), integer(0), integer(0)},
		"shape and data": {{Shape: []int{3}, F: []float32{1, 2}}, integer(0), integer(0)},
		"negative":       {{Shape: []int{-1}, F: []float32{1}}, integer(0), integer(0)},
		"two axes":       {{Shape: []int{1, 1}, F: []float32{1}}, integer(0), integer(0)},
		"nothing":        {{}, {}, {}},
		"both kinds":     {{Shape: []int{1}, F: []float32{1}, I: []int32{1}}, integer(0), integer(0)},
	} {
		_, err := s.Run(context.Background(), g, [][]Array{in})
		require.ErrorIs(t, err, ErrInput, name)
		_, err = s.Gradients(context.Background(), g, [][]Array{in}, GradOptions{})
		require.ErrorIs(t, err, ErrInput, name)
	}
	ok := [][]Array{{numbers(1), integer(0), integer(0)}}
	for name, cts := range map[string][][]Array{
		"inputs":  {},
		"results": {{}},
		"shape":   {{numbers(1, 2)}},
	} {
		_, err := s.Gradients(context.Background(), g, ok, GradOptions{Cotangents: cts})
		require.ErrorIs(t, err, ErrInput, name)
	}
	r, err := s.Run(context.Background(), g, nil)
	require.NoError(t, err)
	require.Empty(t, r.Outputs)
	r, err = s.Gradients(context.Background(), g, nil, GradOptions{})
	require.NoError(t, err)
	require.Zero(t, r.Loss)
}

func TestNilContextIsAnError(t *testing.T) {
	p, g := fibProgram(t)
	s := session(t, p, Options{})
	var none context.Context
	_, err := s.Run(none, g, [][]Array{scalar(3)})
	require.ErrorIs(t, err, ErrInput)
	_, err = s.Gradients(none, g, [][]Array{scalar(3)}, GradOptions{})
	require.ErrorIs(t, err, ErrInput)
}
