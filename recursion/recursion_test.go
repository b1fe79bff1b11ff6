package recursion_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// here returns file:line of its caller, moved by some lines.
func here(lines int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+lines)
}

// main defines a graph called main.
func main[In, Out any](m *graph.Module, in In, out Out, body func(In) Out) {
	graph.Helper()
	recursion.Declare(m, "main", in, out).Define(body)
}

func build(t *testing.T, define func(m *graph.Module)) *graph.Program {
	t.Helper()
	m := graph.NewModule("test")
	define(m)
	p, err := m.Build()
	require.NoError(t, err)
	return p
}

// invocations returns the invoking nodes of all graphs, in order.
func invocations(p *graph.Program) []*graph.Node {
	var nodes []*graph.Node
	for _, g := range p.Graphs {
		for _, n := range g.Nodes {
			if _, ok := n.Op.(*recursion.InvokeOp); ok {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

func TestSubGraphNamesItsInputsAndResults(t *testing.T) {
	type state struct{ H, C graph.Value }
	type in struct {
		Word  graph.Value
		Gates [2]graph.Value
		Kids  []state
	}
	s := state{graph.F32(2), graph.F32(3)}
	m := graph.NewModule("test")
	f := recursion.Declare(m, "f", in{graph.I32(), [2]graph.Value{graph.F32(), graph.Bool()}, []state{s, s}}, s)
	assert.Equal(t, []string{"Word", "Gates.0", "Gates.1", "Kids.0.H", "Kids.0.C", "Kids.1.H", "Kids.1.C"}, f.InputPaths())
	assert.Equal(t, []string{"H", "C"}, f.ResultPaths())
	assert.Equal(t, "f", f.Graph().Name)
	f.Define(func(v in) state {
		require.Len(t, v.Kids, 2)
		assert.Equal(t, "f32[3]", v.Kids[1].C.Type().String())
		assert.Equal(t, "bool", v.Gates[1].Type().String())
		return f.Invoke(v)
	})
	p, err := m.Build()
	require.NoError(t, err)
	assert.Contains(t, p.String(), "%5 Kids.1.H f32[2]")
}

func TestInvocationsOfEveryKind(t *testing.T) {
	p := build(t, func(m *graph.Module) {
		main(m, graph.F32(graph.Any, 2), graph.F32(2), func(xs graph.Value) graph.Value {
			ys := recursion.Map(xs, func(x graph.Value) graph.Value { return ops.Tanh(x) })
			sum := recursion.Fold(ys, m.Full(0, 2), func(acc, y graph.Value) graph.Value { return ops.Add(acc, y) })
			return recursion.Switch(ops.Len(xs), func() graph.Value { return sum }, func() graph.Value { return ops.Neg(sum) },
				func() graph.Value { return m.Full(1, 2) })
		})
	})
	var modes []string
	for _, n := range invocations(p) {
		op := n.Op.(*recursion.InvokeOp)
		modes = append(modes, fmt.Sprint(op.Mode(), len(op.Callees()), op.Mapped(), op.Leading()))
	}
	assert.Equal(t, []string{
		"map 1 1 0", "invoke 1 0 0", "select 3 0 1", // in main
		"select 2 0 1", "invoke 1 0 0", // in the loop of Fold, and in its branch
	}, modes)
	assert.Equal(t, "Mode(9)", recursion.Mode(9).String())
}

func TestBranchesMayHaveNoResults(t *testing.T) {
	p := build(t, func(m *graph.Module) {
		main(m, graph.F32(), struct{}{}, func(x graph.Value) struct{} {
			return recursion.If(ops.Less(x, m.Float(0)), func() struct{} {
				recursion.Loss(x)
				return struct{}{}
			}, func() struct{} {
				recursion.Collect("positive", m.Int(1), x)
				return struct{}{}
			})
		})
	})
	require.Len(t, invocations(p), 1)
	assert.Empty(t, invocations(p)[0].Out)
	assert.Contains(t, p.String(), `collect{table="positive"} i32(1), %0`)
}

func TestMistakes(t *testing.T) {
	type pair struct{ A, B graph.Value }
	vector, list := graph.F32(2), graph.F32(graph.Any, 2)
	for name, c := range map[string]struct {
		is    error
		op    string
		want  string
		build func(m *graph.Module, x, xs graph.Value) graph.Value
	}{
		"selector of if": {graph.ErrDType, "if", "the selector is f32[2], want a scalar bool", func(_ *graph.Module, x, _ graph.Value) graph.Value {
			return recursion.If(x, func() graph.Value { return x }, func() graph.Value { return x })
		}},
		"selector of switch": {graph.ErrDType, "switch", "the selector is bool, want a scalar i32", func(m *graph.Module, x, _ graph.Value) graph.Value {
			return recursion.Switch(m.True(true), func() graph.Value { return x })
		}},
		"branches differ": {graph.ErrShape, "if", "the bodies differ in the result: f32[2] of param at recursion_test.go:", func(m *graph.Module, x, _ graph.Value) graph.Value {
			return recursion.If(m.True(true), func() graph.Value { return x }, func() graph.Value { return m.Float(0) })
		}},
		"branches of other lengths": {graph.ErrShape, "if", "the bodies return 1 and 2 results", func(m *graph.Module, x, _ graph.Value) graph.Value {
			return recursion.If(m.True(true), func() []graph.Value { return []graph.Value{x} }, func() []graph.Value { return []graph.Value{x, x} })[0]
		}},
		"map over no list": {graph.ErrShape, "map", "input 0 is f32[2], want a list", func(_ *graph.Module, x, _ graph.Value) graph.Value {
			recursion.Map(x, func(e graph.Value) graph.Value { return e })
			return x
		}},
		"map to lists": {graph.ErrShape, "map", "lists of lists are not supported", func(_ *graph.Module, x, xs graph.Value) graph.Value {
			recursion.Map(xs, func(graph.Value) graph.Value { return xs })
			return x
		}},
		"fold over no list": {graph.ErrShape, "fold", "input 0 is f32[2], want a list", func(_ *graph.Module, x, _ graph.Value) graph.Value {
			return recursion.Fold(x, x, func(acc, _ graph.Value) graph.Value { return acc })
		}},
		"fold to another type": {graph.ErrShape, "fold", "state begins as f32[2] of param at recursion_test.go:", func(m *graph.Module, x, xs graph.Value) graph.Value {
			return recursion.Fold(xs, x, func(graph.Value, graph.Value) graph.Value { return m.Float(0) })
		}},
		"loss of a vector": {graph.ErrShape, "loss", "want f32", func(_ *graph.Module, x, _ graph.Value) graph.Value {
			recursion.Loss(x)
			return x
		}},
		"integer loss": {graph.ErrDType, "loss", "the loss is i32, want f32", func(m *graph.Module, x, _ graph.Value) graph.Value {
			recursion.Loss(m.Int(1))
			return x
		}},
		"key of a row": {graph.ErrDType, "collect", "the key is f32, want i32", func(m *graph.Module, x, _ graph.Value) graph.Value {
			recursion.Collect("t", m.Float(1), x)
			return x
		}},
		"list in a row": {graph.ErrShape, "collect", "cannot collect the list f32[? 2]", func(m *graph.Module, x, xs graph.Value) graph.Value {
			recursion.Collect("t", m.Int(1), xs)
			return x
		}},
		"arguments": {graph.ErrShape, "invoke", "input B of f is f32, want f32[2] (declared at recursion_test.go:", func(m *graph.Module, x, _ graph.Value) graph.Value {
			f := recursion.Declare(m, "f", pair{vector, vector}, vector)
			f.Define(func(p pair) graph.Value { return p.A })
			return f.Invoke(pair{x, m.Float(1)})
		}},
		"hidden field": {graph.ErrInvalid, "Declare g", "field hidden of", func(m *graph.Module, x, _ graph.Value) graph.Value {
			recursion.Declare(m, "g", struct{ hidden graph.Value }{x}, x)
			return x
		}},
		"field that is no value": {graph.ErrInvalid, "Declare g", " is a int, want graph.Value or a struct, array or slice of them", func(m *graph.Module, x, _ graph.Value) graph.Value {
			recursion.Declare(m, "g", struct{ N int }{1}, x)
			return x
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := graph.NewModule("test")
			main(m, pair{vector, list}, vector, func(p pair) graph.Value { return c.build(m, p.A, p.B) })
			_, err := m.Build()
			require.ErrorIs(t, err, c.is)
			assert.ErrorContains(t, err, c.want)
			assert.Regexp(t, `^recursion_test\.go:\d+: `+c.op, err.Error())
		})
	}
}

// What is built from a mistake adds no lines of its own.
func TestMistakesDoNotCascade(t *testing.T) {
	m := graph.NewModule("test")
	pos := ""
	main(m, graph.F32(graph.Any), graph.F32(), func(xs graph.Value) graph.Value {
		pos = here(1)
		bad := ops.Add(xs, m.Full(0, 2))
		ys := recursion.Map(bad, func(x graph.Value) graph.Value { return ops.Tanh(x) })
		acc := recursion.Fold(ys, m.Float(0), func(acc, y graph.Value) graph.Value { return ops.Add(acc, y) })
		acc = recursion.Loop(acc, func(s graph.Value) graph.Value { return ops.Less(s, m.Float(1)) }, func(s graph.Value) graph.Value { return s })
		recursion.Loss(acc)
		return recursion.If(ops.Less(acc, m.Float(0)), func() graph.Value { return acc }, func() graph.Value { return m.Float(0) })
	})
	_, err := m.Build()
	require.Error(t, err)
	assert.Len(t, strings.Split(err.Error(), "\n"), 1, err)
	assert.Contains(t, err.Error(), pos+": add: ")
}

// Bodies and subgraphs that are nil are mistakes, and no panics.
func TestNothingIsNoBody(t *testing.T) {
	type value = graph.Value
	var undeclared *recursion.SubGraph[value, value]
	var empty recursion.SubGraph[value, value]
	same := func(x value) value { return x }
	for name, c := range map[string]struct {
		op    string
		want  string
		build func(m *graph.Module, x, xs value) value
	}{
		"if": {"if", "the body then is nil", func(m *graph.Module, x, _ value) value {
			return recursion.If(m.True(true), nil, func() value { return x })
		}},
		"switch": {"switch", "the body case1 is nil", func(m *graph.Module, x, _ value) value {
			return recursion.Switch(m.Int(0), func() value { return x }, nil)
		}},
		"map": {"map", "the body is nil", func(_ *graph.Module, x, xs value) value { recursion.Map[value, value](xs, nil); return x }},
		"map over nothing": {"map", "there is no list", func(_ *graph.Module, x, _ value) value {
			recursion.Map(struct{}{}, func(struct{}) value { return x })
			return x
		}},
		"fold":      {"fold", "the body is nil", func(_ *graph.Module, x, xs value) value { return recursion.Fold[value](xs, x, nil) }},
		"loop cond": {"loop", "the condition or the body is nil", func(_ *graph.Module, x, _ value) value { return recursion.Loop(x, nil, same) }},
		"loop": {"loop", "the condition or the body is nil", func(m *graph.Module, x, _ value) value {
			return recursion.Loop(x, func(value) value { return m.True(true) }, nil)
		}},
		"define": {"Define g", "the body is nil", func(m *graph.Module, x, _ value) value {
			return recursion.Declare(m, "g", graph.F32(2), graph.F32(2)).Define(nil).Invoke(x)
		}},
		"nil subgraph":      {"invoke", "the subgraph is not declared", func(_ *graph.Module, x, _ value) value { return undeclared.Invoke(x) }},
		"zero subgraph":     {"invoke", "the subgraph is not declared", func(_ *graph.Module, x, _ value) value { return empty.Invoke(x) }},
		"definition of nil": {"Define", "the subgraph is not declared", func(_ *graph.Module, x, _ value) value { undeclared.Define(same); return x }},
		"declaration without m": {"Declare g", "the module is nil", func(_ *graph.Module, x, _ value) value {
			return recursion.Declare(nil, "g", x, x).Define(same).Invoke(x)
		}},
		"invocation of no graph": {"invoke", "there is no graph to invoke", func(m *graph.Module, x, _ value) value { m.Apply(recursion.NewInvoke(recursion.Call, 0), x); return x }},
		"invocation of nil": {"invoke", "a graph to invoke is nil", func(m *graph.Module, x, _ value) value {
			m.Apply(recursion.NewInvoke(recursion.Call, 0, nil), x)
			return x
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := graph.NewModule("test")
			type in struct{ X, XS value }
			main(m, in{graph.F32(2), graph.F32(graph.Any, 2)}, graph.F32(2), func(v in) value { return c.build(m, v.X, v.XS) })
			_, err := m.Build()
			require.Error(t, err)
			assert.Len(t, strings.Split(err.Error(), "\n"), 1, err)
			assert.Regexp(t, `^recursion_test\.go:\d+: `+c.op+": .*"+c.want, err.Error())
		})
	}
	assert.Nil(t, undeclared.Graph())
	nowhere := recursion.Declare(nil, "g", graph.F32(2), graph.F32(2)).Define(same)
	assert.True(t, nowhere.Invoke(graph.F32(2)).IsPoison())
}

// A signature with a mistake gives one line for each, and bodies that use the
// subgraph none.
func TestMistakesInSignatures(t *testing.T) {
	type pointer struct {
		P    *graph.Value
		X, Y graph.Value
	}
	type state struct{ H, C graph.Value }
	type nested struct {
		S    state
		Kids []graph.Value
	}
	m := graph.NewModule("test")
	f := recursion.Declare(m, "f", pointer{X: graph.F32(), Y: graph.F32()}, graph.F32())
	f.Define(func(in pointer) graph.Value { return ops.Add(*in.P, ops.Add(in.X, in.Y)) })
	g := recursion.Declare(m, "g", nested{state{H: graph.F32()}, []graph.Value{graph.F32(2, -3)}}, state{H: graph.F32()})
	g.Define(func(in nested) state { return in.S })
	main(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
		s := g.Invoke(nested{state{x, x}, []graph.Value{x}})
		return ops.Add(f.Invoke(pointer{X: x, Y: x}), ops.Add(s.H, s.C))
	})
	_, err := m.Build()
	require.Error(t, err)
	got := strings.Split(err.Error(), "\n")
	require.Len(t, got, 4, err)
	for i, want := range []string{
		"Declare f: invalid program: P is a *graph.Value",
		"Declare g: input S.C: element type error: the zero Value",
		"input Kids.0: shape error: extent -3 of axis 1 in f32[2 -3]",
		"Declare g: result C: element type error: the zero Value",
	} {
		assert.Contains(t, got[i], want)
	}
}

func TestRegistryKnowsEveryOperator(t *testing.T) {
	r := recursion.Registry()
	for name := range ops.Registry() {
		assert.Contains(t, r, name)
	}
	for _, name := range []string{"invoke", "select", "map", "loss", "collect"} {
		assert.Contains(t, r, name)
		assert.NotContains(t, ops.Registry(), name)
	}
	m := graph.NewModule("test")
	g := m.Declare("g", []graph.Value{graph.F32()}, []graph.Value{graph.F32()})
	lists := func(n any) []graph.Attr { return []graph.Attr{{Key: "lists", Value: n}} }

	op, err := r["map"](lists(1), []*graph.Graph{g})
	require.NoError(t, err)
	assert.Equal(t, recursion.NewInvoke(recursion.Each, 1, g), op)
	op, err = r["select"](nil, []*graph.Graph{g, g})
	require.NoError(t, err)
	assert.Equal(t, recursion.NewInvoke(recursion.Select, 0, g, g), op)
	op, err = r["collect"]([]graph.Attr{{Key: "table", Value: "t"}}, nil)
	require.NoError(t, err)
	assert.Equal(t, recursion.CollectOp{Table: "t"}, op)

	for name, bad := range map[string]struct {
		op      string
		attrs   []graph.Attr
		callees []*graph.Graph
	}{
		"no callee":           {"invoke", nil, nil},
		"two callees":         {"invoke", nil, []*graph.Graph{g, g}},
		"map of two":          {"map", lists(1), []*graph.Graph{g, g}},
		"attribute of invoke": {"invoke", lists(1), []*graph.Graph{g}},
		"no lists":            {"map", nil, []*graph.Graph{g}},
		"lists are no number": {"map", lists("1"), []*graph.Graph{g}},
		"too many lists":      {"map", lists(2), []*graph.Graph{g}},
		"negative lists":      {"map", lists(-1), []*graph.Graph{g}},
		"loss of a graph":     {"loss", nil, []*graph.Graph{g}},
		"tanh of a graph":     {"tanh", nil, []*graph.Graph{g}},
		"no table":            {"collect", nil, nil},
		"table is no string":  {"collect", []graph.Attr{{Key: "table", Value: 1}}, nil},
	} {
		_, err := r[bad.op](bad.attrs, bad.callees)
		assert.ErrorIs(t, err, graph.ErrInvalid, name)
	}
}
