package graph_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Operands without a module, or of another one, do not hide a mistake from the
// module in whose body it is made, even if its result is not used.
func TestMistakesBelongToTheOpenBody(t *testing.T) {
	other := graph.NewModule("other")
	foreign := other.Var("w", graph.F32(), graph.Zeros())
	foreignGraph := recursion.Declare(other, "g", graph.F32(), graph.F32())
	var zero graph.Value
	for name, c := range map[string]struct {
		want string
		do   func(m *graph.Module)
	}{
		"loss of zero":        {"loss: value out of scope: the zero Value", func(*graph.Module) { recursion.Loss(zero) }},
		"collect of zeros":    {"collect: value out of scope: the zero Value", func(*graph.Module) { recursion.Collect("t", zero, zero) }},
		"tanh of zero":        {"tanh: value out of scope: the zero Value", func(*graph.Module) { ops.Tanh(zero) }},
		"sum of zero":         {"sum: value out of scope: the zero Value", func(*graph.Module) { ops.Sum(zero) }},
		"softmax of zero":     {"softmax: value out of scope: the zero Value", func(*graph.Module) { ops.Softmax(zero) }},
		"dot of zeros":        {"dot: value out of scope: the zero Value", func(*graph.Module) { ops.Dot(zero, zero) }},
		"len of zero":         {"len: value out of scope: the zero Value", func(*graph.Module) { ops.Len(zero) }},
		"weighted sum":        {"WeightedSum: value out of scope: the zero Value", func(*graph.Module) { ops.WeightedSum(zero, zero) }},
		"bilinear":            {"Bilinear: value out of scope: the zero Value", func(*graph.Module) { ops.Bilinear(zero, zero, zero) }},
		"matvec":              {"matvec: value out of scope: the zero Value", func(*graph.Module) { ops.MatVec(zero, zero) }},
		"zeros like":          {"expand: value out of scope: the zero Value", func(*graph.Module) { ops.ZerosLike(zero) }},
		"split of zero":       {"Split: value out of scope: the zero Value", func(*graph.Module) { ops.Split(zero, 2) }},
		"concat of nothing":   {"concat: invalid program: no inputs", func(*graph.Module) { ops.Concat() }},
		"stack of nothing":    {"concat: invalid program: no inputs", func(*graph.Module) { ops.Stack() }},
		"join of nothing":     {"join: invalid program: no inputs", func(*graph.Module) { ops.Join() }},
		"list of nothing":     {"list: invalid program: no inputs", func(*graph.Module) { ops.List() }},
		"descriptions":        {"add: value out of scope: f32 is only a description", func(*graph.Module) { ops.Add(graph.F32(), graph.F32()) }},
		"foreign value first": {`add: value out of scope: f32 of var at orphan_test.go:19 belongs to module "other"`, func(m *graph.Module) { ops.Add(foreign, m.Float(1)) }},
		"only foreign values": {`belongs to module "other", not to "test"`, func(*graph.Module) { ops.Tanh(foreign) }},
		"foreign subgraph":    {`invoke: value out of scope: g, declared at orphan_test.go:20, belongs to module "other"`, func(m *graph.Module) { foreignGraph.Invoke(m.Float(1)) }},
		"if of zero": {"if: value out of scope: the zero Value", func(m *graph.Module) {
			recursion.If(zero, func() graph.Value { return m.Int(1) }, func() graph.Value { return m.Int(2) })
		}},
		"switch of nothing": {"switch: invalid program: there is no body to choose", func(m *graph.Module) { recursion.Switch[graph.Value](m.Int(1)) }},
		"map of zero":       {"map: value out of scope: the zero Value", func(*graph.Module) { recursion.Map(zero, func(x graph.Value) graph.Value { return x }) }},
		"fold of zero": {"fold: value out of scope: the zero Value", func(m *graph.Module) {
			recursion.Fold(zero, m.Int(1), func(a, _ graph.Value) graph.Value { return a })
		}},
		"fold from zero": {"fold, state: value out of scope: the zero Value", func(m *graph.Module) {
			recursion.Fold(ops.Range(m.Int(2)), zero, func(a, _ graph.Value) graph.Value { return a })
		}},
		"loop of zero": {"loop, state: value out of scope: the zero Value", func(*graph.Module) {
			recursion.Loop(zero, func(s graph.Value) graph.Value { return s }, func(s graph.Value) graph.Value { return s })
		}},
		"mistake from outside": {"tanh: value out of scope: an operand comes from a mistake made outside", func(*graph.Module) { ops.Tanh(graph.Poisoned()) }},
	} {
		t.Run(name, func(t *testing.T) {
			m := graph.NewModule("test")
			define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
				c.do(m)
				return x
			})
			_, err := m.Build()
			require.Error(t, err)
			assert.Len(t, lines(err), 1, err)
			assert.Contains(t, err.Error(), c.want)
			assert.Regexp(t, `^orphan_test\.go:\d+: `, err.Error())
		})
	}
}

// Bodies of several modules are open at a time, in one goroutine and in many.
func TestMistakesOfModulesDoNotMix(t *testing.T) {
	outer, inner := graph.NewModule("outer"), graph.NewModule("inner")
	define(outer, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
		define(inner, graph.F32(), graph.F32(), func(y graph.Value) graph.Value {
			recursion.Loss(graph.Value{})
			return y
		})
		return ops.Tanh(x)
	})
	_, err := outer.Build()
	assert.NoError(t, err)
	_, err = inner.Build()
	assert.ErrorContains(t, err, "loss: ")

	var wg sync.WaitGroup
	errs := make([]error, 32)
	for i := range errs {
		wg.Go(func() {
			m := graph.NewModule("test")
			define(m, graph.F32(), graph.F32(), func(x graph.Value) graph.Value {
				if i%2 == 0 {
					recursion.Loss(graph.Value{})
				}
				return x
			})
			_, errs[i] = m.Build()
		})
	}
	wg.Wait()
	for i, err := range errs {
		assert.Equal(t, i%2 == 0, err != nil, i)
	}
	// A body that panics leaves nothing open.
	assert.Panics(t, func() {
		define(graph.NewModule("test"), graph.F32(), graph.F32(), func(graph.Value) graph.Value { panic("user") })
	})
	assert.Nil(t, graph.ModuleOf())
}
