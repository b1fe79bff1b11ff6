package graph_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// oddOp is a user's operator with a shape rule and a gradient rule of its own.
type oddOp struct {
	infer    func(in []graph.Type) ([]graph.Type, error)
	gradient func(n *graph.Node, ct graph.Value) []graph.Value
}

func (*oddOp) Name() string                                           { return "odd" }
func (*oddOp) Attrs() []graph.Attr                                    { return nil }
func (o *oddOp) Infer(in []graph.Type) ([]graph.Type, error)          { return o.infer(in) }
func (o *oddOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value { return o.gradient(n, ct) }

func sameTypes(in []graph.Type) ([]graph.Type, error) { return in, nil }

func TestMistakesInUsersOperators(t *testing.T) {
	for name, c := range map[string]struct {
		op   graph.Op
		want string
	}{
		"nil":               {nil, "Apply: invalid program: the operator is nil"},
		"no results":        {&oddOp{infer: func([]graph.Type) ([]graph.Type, error) { return nil, nil }}, "odd: invalid program: the operator has 0 results"},
		"shape rule panics": {&oddOp{infer: func(in []graph.Type) ([]graph.Type, error) { return in[3:4], nil }}, "odd: invalid program: odd cannot be applied to [f32[2]]: its shape rule panics"},
		"huge result": {&oddOp{infer: func([]graph.Type) ([]graph.Type, error) {
			return []graph.Type{graph.T(graph.Float32, 1<<32, 1<<32)}, nil
		}}, "odd: result 0: shape error: f32[4294967296 4294967296] has too many elements"},
		"no type": {&oddOp{infer: func([]graph.Type) ([]graph.Type, error) { return []graph.Type{{}}, nil }}, "odd: result 0: element type error"},
		"gradient rule panics": {&oddOp{sameTypes, func(n *graph.Node, _ graph.Value) []graph.Value { return n.In[3:4] }},
			"gradient of odd: invalid program: the rule panics"},
		"too few contributions": {&oddOp{sameTypes, func(*graph.Node, graph.Value) []graph.Value { return nil }},
			"gradient of odd: invalid program: the rule gives 0 contributions for 1 inputs"},
		"gradient of zeros": {&oddOp{sameTypes, func(*graph.Node, graph.Value) []graph.Value { return []graph.Value{ops.Tanh(graph.Value{})} }},
			"tanh: value out of scope: the zero Value"},
	} {
		t.Run(name, func(t *testing.T) {
			m := graph.NewModule("test")
			define(m, graph.F32(2), graph.F32(2), func(x graph.Value) graph.Value { return graph.Apply(c.op, x) })
			_, err := m.Build()
			require.Error(t, err)
			assert.Len(t, lines(err), 1, err)
			assert.Contains(t, err.Error(), c.want)
			assert.Regexp(t, `^limits_test\.go:\d+: `, err.Error())
		})
	}
}

func TestSizesAreLimited(t *testing.T) {
	assert.NoError(t, graph.T(graph.Float32, math.MaxInt32).Check())
	assert.NoError(t, graph.T(graph.Float32, graph.Any, 1<<16, 1<<14).Check())
	for _, dims := range [][]int{{1 << 31}, {1 << 16, 1 << 15}, {1 << 32, 1 << 32}, {graph.Any, 1 << 31}, {1 << 62, 4}, {0, 1 << 40}} {
		assert.ErrorIs(t, graph.T(graph.Float32, dims...).Check(), graph.ErrShape, dims)
	}
	assert.ErrorIs(t, graph.T(graph.Float32, make([]int, 33)...).Check(), graph.ErrShape)

	body := func(f func(m *graph.Module, x graph.Value)) func(m *graph.Module) {
		return func(m *graph.Module) {
			define(m, graph.F32(1<<20), graph.F32(1<<20), func(x graph.Value) graph.Value {
				f(m, x)
				return x
			})
		}
	}
	for what, build := range map[string]func(m *graph.Module){
		`Var "w"`:    func(m *graph.Module) { m.Var("w", graph.F32(1<<40), graph.Zeros()) },
		"Declare f":  func(m *graph.Module) { m.Declare("f", []graph.Value{graph.F32(1<<32, 1<<32)}, nil) },
		"const":      func(m *graph.Module) { m.Full(1, 1<<32, 1<<32) },
		"const ":     func(m *graph.Module) { m.Floats(nil, 1<<32, 1<<32) },
		"const  ":    func(m *graph.Module) { m.Ints(nil, 1<<40) },
		"one_hot":    body(func(m *graph.Module, _ graph.Value) { ops.OneHot(m.Int(1), 1<<62) }),
		"outer":      body(func(_ *graph.Module, x graph.Value) { ops.Outer(x, x) }),
		"expand":     body(func(_ *graph.Module, x graph.Value) { ops.BroadcastTo(x, 1<<40, 1<<20) }),
		"reshape":    body(func(_ *graph.Module, x graph.Value) { ops.Reshape(x, 1<<60, 16, 1<<20) }),
		"pad":        body(func(_ *graph.Module, x graph.Value) { ops.Pad(x, 0, 0, 1<<40) }),
		"scatter_at": body(func(m *graph.Module, x graph.Value) { graph.Apply(ops.ScatterAtOp{N: 1 << 40}, x, m.Int(0)) }),
	} {
		m := graph.NewModule("test")
		build(m)
		_, err := m.Build()
		var mistake *graph.BuildError
		if assert.ErrorAs(t, err, &mistake, what) {
			assert.Equal(t, strings.TrimSpace(what), mistake.Op)
			assert.Contains(t, mistake.Pos.String(), "limits_test.go:")
			assert.ErrorIs(t, mistake, graph.ErrShape)
		}
	}
}

// A module is built once; afterwards its program does not change.
func TestBuiltModulesDoNotChange(t *testing.T) {
	m := graph.NewModule("test")
	w := m.Var("w", graph.F32(), graph.Zeros())
	assert.True(t, (*graph.Module)(nil).Var("w", graph.F32(), graph.Zeros()).IsPoison())
	f := recursion.Declare(m, "f", graph.F32(), graph.F32()).Define(func(x graph.Value) graph.Value {
		return recursion.If(ops.Less(x, w), func() graph.Value { return x }, func() graph.Value { return ops.Mul(x, x) })
	})
	p, err := m.Build()
	require.NoError(t, err)
	want := p.String()
	for name, change := range map[string]func(){
		"Build": func() {},
		"Declare g": func() {
			g := recursion.Declare(m, "g", graph.F32(), graph.F32()).Define(func(x graph.Value) graph.Value { return x })
			assert.Nil(t, g.Graph())
			m.DeclareBody("body", nil).DefineBody(nil, func([]graph.Value) []graph.Value { return nil })
		},
		"Define f": func() { f.Define(func(x graph.Value) graph.Value { return x }) },
		`Var "v"`:  func() { m.Var("v", graph.F32(), graph.Zeros()) },
		"const":    func() { m.Int(7) },
		"Freeze":   func() { m.Freeze(w) },
	} {
		change()
		q, err := m.Build()
		assert.Nil(t, q, name)
		assert.ErrorIs(t, err, graph.ErrInvalid, name)
		assert.ErrorContains(t, err, `module "test" is built already`, name)
		assert.Equal(t, want, p.String(), name)
		assert.NoError(t, p.Verify(), name)
	}
	q, err := (*graph.Module)(nil).Build()
	assert.Nil(t, q)
	assert.ErrorIs(t, err, graph.ErrInvalid)
}

func TestRowsOfATableHaveOneType(t *testing.T) {
	m := graph.NewModule("test")
	var first, second string
	define(m, graph.F32(2), graph.F32(2), func(x graph.Value) graph.Value {
		first = here(1)
		recursion.Collect("t", m.Int(1), x)
		recursion.Collect("other", m.Int(1), m.Float(1))
		return recursion.If(m.True(true), func() graph.Value {
			second = here(1)
			recursion.Collect("t", m.Int(1), m.Float(1))
			return x
		}, func() graph.Value { return x })
	})
	_, err := m.Build()
	require.ErrorIs(t, err, graph.ErrShape)
	assert.EqualError(t, err, second+`: collect: shape error: a row of table "t" is f32 here and f32[2] at `+first)

	_, err = graph.Parse(strings.NewReader(`module m
graph f(%0 f32[2], %1 f32) () {
	collect{table="t"} i32(1), %0
	collect{table="t"} i32(1), %1
	return
}
`), recursion.Registry())
	assert.ErrorContains(t, err, `a row of table "t" is f32 here and f32[2]`)
}
