package recursion_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

type lstmState struct{ H, C graph.Value }

// A value of the wrong type is told once: by the construct that the user wrote, with the
// field and both types. What follows from it is not told.
func TestValuesOfTheWrongType(t *testing.T) {
	type value = graph.Value
	type kids struct{ Kids []value }
	type in struct{ X, XS value }
	const pos = `mistypes_test\.go:\d+`
	for name, c := range map[string]struct {
		is    error
		want  string
		build func(m *graph.Module, x, xs value) value
	}{
		"loop": {graph.ErrShape, `loop: shape error: state C begins as f32\[2\] of param at ` + pos + `, the body returns f32 of sum at ` + pos, func(m *graph.Module, x, _ value) value {
			return recursion.Loop(lstmState{x, x}, func(s lstmState) value { return ops.Less(ops.Sum(s.H), m.Float(1)) }, func(s lstmState) lstmState {
				return lstmState{ops.Tanh(s.H), ops.Sum(s.C)}
			}).H
		}},
		"loop of one value": {graph.ErrDType, `loop: element type error: state begins as i32 of const at ` + pos + `, the body returns f32 of cast at ` + pos, func(m *graph.Module, x, _ value) value {
			recursion.Loop(m.Int(0), func(n value) value { return ops.Less(n, m.Int(9)) }, func(n value) value { return ops.Cast(n, graph.Float32) })
			return x
		}},
		"forgotten field of a loop": {graph.ErrScope, `loop, state C: value out of scope: the zero Value`, func(m *graph.Module, x, _ value) value {
			return recursion.Loop(lstmState{x, x}, func(s lstmState) value { return m.True(true) }, func(s lstmState) lstmState { return lstmState{H: s.H} }).H
		}},
		"forgotten field of the first state": {graph.ErrScope, `loop, state C: value out of scope: the zero Value`, func(m *graph.Module, x, _ value) value {
			return recursion.Loop(lstmState{H: x}, func(s lstmState) value { return m.True(true) }, func(s lstmState) lstmState { return s }).H
		}},
		"loop with other slices": {graph.ErrShape, `loop: shape error: the state begins with 1 values, the body returns 2`, func(m *graph.Module, x, _ value) value {
			return recursion.Loop([]value{x}, func([]value) value { return m.True(true) }, func(s []value) []value { return append(s, s[0]) })[0]
		}},
		"condition": {graph.ErrDType, `loop: element type error: the condition is f32 of sum at ` + pos + `, want bool`, func(_ *graph.Module, x, _ value) value {
			return recursion.Loop(x, func(x value) value { return ops.Sum(x) }, func(x value) value { return ops.Tanh(x) })
		}},
		"condition per element": {graph.ErrShape, `loop: shape error: the condition is bool\[2\] of less at ` + pos + `, want bool`, func(_ *graph.Module, x, _ value) value {
			return recursion.Loop(x, func(x value) value { return ops.Less(x, x) }, func(x value) value { return ops.Tanh(x) })
		}},
		"fold": {graph.ErrShape, `fold: shape error: state H begins as f32\[2\] of param at ` + pos + `, the body returns f32 of sum at ` + pos, func(_ *graph.Module, x, xs value) value {
			return recursion.Fold(xs, lstmState{x, x}, func(acc lstmState, e value) lstmState { return lstmState{ops.Sum(e), acc.C} }).C
		}},
		"fold of integers": {graph.ErrDType, `fold: element type error: state begins as i32 of const at ` + pos + `, the body returns f32 of sum at ` + pos, func(m *graph.Module, x, xs value) value {
			recursion.Fold(xs, m.Int(0), func(_, e value) value { return ops.Sum(e) })
			return x
		}},
		"forgotten field of a fold": {graph.ErrScope, `fold, state C: value out of scope: the zero Value`, func(_ *graph.Module, x, xs value) value {
			return recursion.Fold(xs, lstmState{x, x}, func(acc lstmState, e value) lstmState { return lstmState{H: e} }).H
		}},
		"result": {graph.ErrShape, `Define f: shape error: result C is f32 of sum at ` + pos + `, want f32\[2\] \(declared at ` + pos + `\)`, func(m *graph.Module, x, _ value) value {
			f := recursion.Declare(m, "f", x, lstmState{x, x}).Define(func(x value) lstmState { return lstmState{x, ops.Sum(x)} })
			return f.Invoke(x).H
		}},
		"only result": {graph.ErrDType, `Define f: element type error: result is i32 of const at ` + pos + `, want f32\[2\] \(declared at ` + pos + `\)`, func(m *graph.Module, x, _ value) value {
			return recursion.Declare(m, "f", x, x).Define(func(x value) value { return m.Int(1) }).Invoke(x)
		}},
		"result of a slice": {graph.ErrShape, `Define f: shape error: result Kids\.1 is f32 of sum at ` + pos, func(m *graph.Module, x, _ value) value {
			f := recursion.Declare(m, "f", x, kids{[]value{x, x}}).Define(func(x value) kids { return kids{[]value{x, ops.Sum(x)}} })
			return f.Invoke(x).Kids[0]
		}},
		"forgotten result": {graph.ErrScope, `Define f, result C: value out of scope: the zero Value`, func(m *graph.Module, x, _ value) value {
			f := recursion.Declare(m, "f", x, lstmState{x, x}).Define(func(x value) lstmState { return lstmState{H: x} })
			return f.Invoke(x).H
		}},
		"branches": {graph.ErrDType, `if: element type error: the bodies differ in result C: f32\[2\] of param at ` + pos + ` and i32 of const at ` + pos, func(m *graph.Module, x, _ value) value {
			return recursion.If(m.True(true), func() lstmState { return lstmState{x, x} }, func() lstmState { return lstmState{x, m.Int(1)} }).H
		}},
		"map to a list": {graph.ErrShape, `map: shape error: result C of each invocation is the list f32\[\? 2\] of param at ` + pos + `; lists of lists are not supported`, func(_ *graph.Module, x, xs value) value {
			recursion.Map(xs, func(e value) lstmState { return lstmState{e, xs} })
			return x
		}},
		"argument": {graph.ErrDType, `invoke: element type error: input C of f is i32, want f32\[2\]`, func(m *graph.Module, x, _ value) value {
			f := recursion.Declare(m, "f", lstmState{x, x}, x).Define(func(s lstmState) value { return s.H })
			return f.Invoke(lstmState{x, m.Int(1)})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := graph.NewModule("test")
			f := recursion.Declare(m, "main", in{graph.F32(2), graph.F32(graph.Any, 2)}, graph.F32(2))
			f.Define(func(v in) value { return c.build(m, v.X, v.XS) })
			_, err := m.Build()
			require.ErrorIs(t, err, c.is)
			assert.Regexp(t, `^`+pos+`: `+c.want+`[^\n]*$`, err.Error())
		})
	}
}
