package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Three mistakes give three lines, with their positions and without follow-ups.
func TestMistakesHavePositionsAndNoConsequences(t *testing.T) {
	m := graph.NewModule("mistakes")
	var pos []string
	define(m, graph.F32(3), graph.F32(3), func(x graph.Value) graph.Value {
		pos = append(pos, here(1))
		a := ops.Add(x, m.Full(1, 4))
		b := ops.Tanh(ops.Mul(a, x))
		pos = append(pos, here(1))
		c := ops.Add(b, ops.MatVec(m.Full(1, 2, 2), x))
		pos = append(pos, here(1))
		d := recursion.If(m.Int(1), func() graph.Value { return x }, func() graph.Value { return c })
		return ops.Sigmoid(d)
	})
	p, err := m.Build()
	require.Error(t, err)
	assert.Nil(t, p)
	got := lines(err)
	require.Len(t, got, 3)
	for i, want := range []string{": add: shape error:", ": matvec: shape error:", ": if: element type error:"} {
		assert.Contains(t, got[i], pos[i]+want)
	}
	assert.ErrorIs(t, err, graph.ErrShape)
	assert.ErrorIs(t, err, graph.ErrDType)
	var mistake *graph.BuildError
	require.ErrorAs(t, err, &mistake)
	assert.Equal(t, "add", mistake.Op)
	assert.Equal(t, pos[0], mistake.Pos.String())
}

// square has a mistake when x is no float, for which its caller is to blame.
func square(x graph.Value) graph.Value {
	graph.Helper()
	return ops.Square(x)
}

func TestHelperPassesTheBlameUp(t *testing.T) {
	m := graph.NewModule("blame")
	pos := ""
	define(m, graph.Bool(), graph.F32(), func(x graph.Value) graph.Value {
		pos = here(1)
		return square(x)
	})
	_, err := m.Build()
	require.Error(t, err)
	assert.Contains(t, err.Error(), pos+": square: ")
}

func TestSentinels(t *testing.T) {
	other := graph.NewModule("other")
	foreign := other.Int(1)
	for name, c := range map[string]struct {
		is    error
		want  string
		build func(m *graph.Module)
	}{
		"result of another type": {graph.ErrShape, "Define main: shape error: result is f32[2] of param at build_test.go:", func(m *graph.Module) {
			define(m, graph.F32(2), graph.F32(3), func(x graph.Value) graph.Value { return x })
		}},
		"result of another type, without labels": {graph.ErrShape, "result 0 is f32[2], want f32[3] (declared at build_test.go:", func(m *graph.Module) {
			m.Declare("main", []graph.Value{graph.F32(2)}, []graph.Value{graph.F32(3)}).Define(nil, func(p []graph.Value) []graph.Value { return p })
		}},
		"result of other elements": {graph.ErrDType, "result 0 is i32[2], want f32[2] (declared at build_test.go:", func(m *graph.Module) {
			m.Declare("main", []graph.Value{graph.I32(2)}, []graph.Value{graph.F32(2)}).Define(nil, func(p []graph.Value) []graph.Value { return p })
		}},
		"number of results": {graph.ErrShape, "the body returns 0 results, 1 are declared", func(m *graph.Module) {
			m.Declare("main", nil, []graph.Value{graph.F32()}).Define(nil, func([]graph.Value) []graph.Value { return nil })
		}},
		"inner unknown extent": {graph.ErrShape, "extent -1 of axis 1 in f32[2 ?]", func(m *graph.Module) {
			define(m, graph.F32(2, graph.Any), graph.F32(), func(graph.Value) graph.Value { return m.Float(0) })
		}},
		"zero extent": {graph.ErrShape, "extent 0 of axis 1", func(m *graph.Module) {
			define(m, graph.F32(2, 0), graph.F32(), func(graph.Value) graph.Value { return m.Float(0) })
		}},
		"undefined": {graph.ErrUndefined, "Declare main: undefined: never defined", func(m *graph.Module) {
			m.Declare("main", nil, nil)
		}},
		"defined twice": {graph.ErrRedefined, "first declared at build_test.go:", func(m *graph.Module) {
			g := m.Declare("main", nil, nil)
			g.Define(nil, func([]graph.Value) []graph.Value { return nil })
			g.Define(nil, func([]graph.Value) []graph.Value { return nil })
		}},
		"variable twice": {graph.ErrRedefined, `Var "w": defined twice: the name is taken by the variable at build_test.go:`, func(m *graph.Module) {
			m.Var("w", graph.F32(), graph.Zeros())
			m.Var("w", graph.F32(), graph.Zeros())
		}},
		"unused variable": {graph.ErrUnused, `Var "w": unused: no reachable graph reads it`, func(m *graph.Module) {
			m.Var("w", graph.F32(), graph.Zeros())
		}},
		"variable of an unused graph": {graph.ErrUnused, `Var "w": unused`, func(m *graph.Module) {
			w := m.Var("w", graph.F32(), graph.Zeros())
			define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
				inner := recursion.Declare(m, "inner", graph.F32(), graph.F32())
				inner.Define(func(x graph.Value) graph.Value { return ops.Mul(x, w) })
				return x
			})
		}},
		"unused graph": {graph.ErrUnused, "Declare inner: unused: nothing invokes it", func(m *graph.Module) {
			define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
				recursion.Declare(m, "inner", graph.F32(), graph.F32()).Define(func(x graph.Value) graph.Value { return x })
				return x
			})
		}},
		"integer variable": {graph.ErrDType, "got i32[2]; a variable is f32", func(m *graph.Module) {
			m.Var("w", graph.I32(2), graph.Zeros())
		}},
		"variable without initialiser": {graph.ErrInvalid, "the initialiser is nil", func(m *graph.Module) {
			m.Var("w", graph.F32(2), nil)
		}},
		"list variable": {graph.ErrDType, "got f32[? 2]; a variable is f32 and has fixed extents", func(m *graph.Module) {
			m.Var("w", graph.F32(graph.Any, 2), graph.Zeros())
		}},
		"value of another module": {graph.ErrScope, `belongs to module "other", not to "test"`, func(m *graph.Module) {
			define(m, graph.I32(), graph.I32(), func(x graph.Value) graph.Value { return ops.Add(x, foreign) })
		}},
		"result of another module": {graph.ErrScope, `belongs to module "other"`, func(m *graph.Module) {
			define(m, graph.I32(), graph.I32(), func(graph.Value) graph.Value { return foreign })
		}},
		"description as a value": {graph.ErrScope, "f32 is only a description of a value", func(m *graph.Module) {
			define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value { return ops.Add(x, graph.F32()) })
		}},
		"zero Value": {graph.ErrScope, "the zero Value", func(m *graph.Module) {
			define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value { return ops.Add(x, graph.Value{}) })
		}},
		"only zero Values": {graph.ErrScope, "zero Value", func(m *graph.Module) {
			define(m, graph.F32(), graph.F32(), func(graph.Value) graph.Value { return ops.Tanh(graph.Value{}) })
		}},
		"value of a branch used outside": {graph.ErrScope, "is a value of main.then, not visible in main", func(m *graph.Module) {
			define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
				var leaked graph.Value
				recursion.If(m.True(true), func() graph.Value {
					leaked = ops.Tanh(x)
					return leaked
				}, func() graph.Value { return x })
				return ops.Tanh(leaked)
			})
		}},
		"operator outside of a body": {graph.ErrScope, "operators are applied in the body of a subgraph", func(m *graph.Module) {
			ops.Tanh(m.Float(1))
		}},
		"defined elsewhere": {graph.ErrScope, "defined in the body of main, but declared at build_test.go:", func(m *graph.Module) {
			late := recursion.Declare(m, "late", graph.F32(), graph.F32())
			define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
				late.Define(func(y graph.Value) graph.Value { return ops.Add(x, y) })
				return late.Invoke(x)
			})
		}},
		"integer that does not fit": {graph.ErrDType, "2147483648 does not fit into an i32", func(m *graph.Module) { m.Int(math.MaxInt32 + 1) }},
		"number of constants":       {graph.ErrShape, "3 elements for f32[2]", func(m *graph.Module) { m.Floats([]float32{1, 2, 3}, 2) }},
		"constant list":             {graph.ErrShape, "1 elements for i32[?]", func(m *graph.Module) { m.Ints([]int32{1}, graph.Any) }},
		"frozen constant":           {graph.ErrInvalid, "is not a variable", func(m *graph.Module) { m.Freeze(m.Float(1)) }},
		"arguments": {graph.ErrDType, "input 0 of main is f32, want i32 (declared at build_test.go:", func(m *graph.Module) {
			f := recursion.Declare(m, "main", graph.I32(), graph.I32())
			f.Define(func(n graph.Value) graph.Value { return f.Invoke(m.Float(1)) })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := graph.NewModule("test")
			c.build(m)
			p, err := m.Build()
			require.ErrorIs(t, err, c.is)
			assert.Nil(t, p)
			assert.ErrorContains(t, err, c.want)
			for _, line := range lines(err) {
				assert.Regexp(t, `^build_test\.go:\d+: `, line)
			}
		})
	}
}

func TestBuildInsideOfABodyIsAMistake(t *testing.T) {
	m := graph.NewModule("test")
	var err error
	define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
		_, err = m.Build()
		return x
	})
	require.ErrorIs(t, err, graph.ErrScope)
	assert.ErrorContains(t, err, "called inside the body of main")
}

func TestProgramLookUp(t *testing.T) {
	p := build(t, func(m *graph.Module) {
		w := m.Var("w", graph.F32(), graph.Constant(3))
		define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
			return recursion.If(m.True(true), func() graph.Value { return w }, func() graph.Value { return x })
		})
		recursion.Declare(m, "also", graph.F32(), graph.F32()).Define(func(x graph.Value) graph.Value { return x })
	})
	require.NotNil(t, p.Graph("main"))
	assert.Nil(t, p.Graph("main.then"), "bodies are not found by name")
	assert.Nil(t, p.Graph("nobody"))
	require.NotNil(t, p.Variable("w"))
	assert.Nil(t, p.Variable("v"))
	assert.Equal(t, []float32{3}, p.Variable("w").InitialValue(1))
	var names []string
	for _, g := range p.Entries() {
		names = append(names, g.Name)
	}
	assert.Equal(t, []string{"main", "also"}, names)
}
