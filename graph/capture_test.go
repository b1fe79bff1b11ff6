package graph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// captured lists the labels of the values that a graph captures.
func captured(p *graph.Program, name string) []string {
	labels := []string{}
	for _, g := range p.Graphs {
		if g.Name == name {
			for _, v := range g.Params[len(g.In):] {
				labels = append(labels, v.Node().Op.(graph.Param).Label)
			}
		}
	}
	return labels
}

func TestCapturesPassThroughNestedBodies(t *testing.T) {
	type in struct{ A, B, C graph.Value }
	p := build(t, func(m *graph.Module) {
		x := graph.F32()
		main := recursion.Declare(m, "main", in{x, x, x}, x)
		main.Define(func(v in) graph.Value {
			return recursion.If(ops.Less(v.A, m.Float(0)), func() graph.Value {
				return recursion.If(ops.Less(v.A, m.Float(1)),
					func() graph.Value { return v.B },
					func() graph.Value { return m.Float(0) })
			}, func() graph.Value { return v.C })
		})
	})
	assert.Empty(t, captured(p, "main"))
	// Branches share one argument list, so each captures what the other needs.
	for _, branch := range []string{"main.then", "main.else"} {
		assert.ElementsMatch(t, []string{"A", "B", "C"}, captured(p, branch))
	}
	assert.ElementsMatch(t, []string{"B"}, captured(p, "main.then.then"))
	assert.ElementsMatch(t, []string{"B"}, captured(p, "main.then.else"))
}

func TestCapturesPassThroughMutualRecursion(t *testing.T) {
	// ping uses A and pong B, and each invokes the other: both need both.
	type in struct{ A, B graph.Value }
	p := build(t, func(m *graph.Module) {
		main := recursion.Declare(m, "main", in{graph.F32(), graph.F32()}, graph.F32())
		main.Define(func(v in) graph.Value {
			ping := recursion.Declare(m, "ping", graph.F32(), graph.F32())
			pong := recursion.Declare(m, "pong", graph.F32(), graph.F32())
			ping.Define(func(x graph.Value) graph.Value {
				return recursion.If(ops.Less(x, v.A), func() graph.Value { return pong.Invoke(x) }, func() graph.Value { return x })
			})
			pong.Define(func(x graph.Value) graph.Value { return ping.Invoke(ops.Sub(x, v.B)) })
			return ping.Invoke(m.Float(0))
		})
	})
	for _, g := range []string{"ping", "pong", "ping.then", "ping.else"} {
		assert.Subset(t, captured(p, g), []string{"A", "B"}, g)
	}
	require.NoError(t, p.Verify())
	for _, g := range p.Graphs {
		for _, n := range g.Nodes {
			if op, ok := n.Op.(graph.Invoker); ok {
				for _, callee := range op.Callees() {
					assert.Len(t, n.In[op.Leading():], len(callee.Params))
				}
			}
		}
	}
}

func TestGlobalsAreNotCaptured(t *testing.T) {
	p := build(t, func(m *graph.Module) {
		w := m.Var("w", graph.F32(), graph.Zeros())
		define(m, graph.F32(graph.Any), graph.F32(graph.Any), func(xs graph.Value) graph.Value {
			return recursion.Map(xs, func(x graph.Value) graph.Value { return ops.Add(ops.Mul(x, w), m.Float(1)) })
		})
	})
	assert.Empty(t, captured(p, "main.map"))
}

func TestInvocationOutsideOfTheCapturedBodyIsAMistake(t *testing.T) {
	m := graph.NewModule("test")
	var inner *recursion.SubGraph[graph.Value, graph.Value]
	define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
		inner = recursion.Declare(m, "inner", graph.F32(), graph.F32())
		inner.Define(func(y graph.Value) graph.Value { return ops.Mul(x, y) })
		return inner.Invoke(x)
	})
	pos := ""
	other := recursion.Declare(m, "other", graph.F32(), graph.F32())
	other.Define(func(x graph.Value) graph.Value {
		pos = here(1)
		return inner.Invoke(x)
	})
	_, err := m.Build()
	require.ErrorIs(t, err, graph.ErrScope)
	assert.ErrorContains(t, err, pos+": invoke: ")
	assert.ErrorContains(t, err, "can be invoked only inside main, not in other")
}
