package recursion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Fold combines the elements of a list, or of several lists of equal length,
// from the first to the last. With an empty list the result is init. Lists of
// different lengths are an error of the run that wraps ops.ErrLength.
//
//	acc := init
//	for i := range xs { acc = body(acc, xs[i]) }
//	return acc
func Fold[X, S any](xs X, init S, body func(acc S, x X) S) S {
	m, lists, _, ok := elements("fold", xs, body != nil)
	if !ok {
		return poisonAll(init)
	}
	if !checkState(m, "fold", init) {
		return poisonAll(init)
	}
	type state struct {
		I   graph.Value
		Acc S
	}
	n := ops.SameLength(lists...)
	one := m.Int(1)
	end := Loop(state{m.Int(0), init}, func(s state) graph.Value {
		return ops.Less(s.I, n)
	}, func(s state) state {
		at := make([]graph.Value, len(lists))
		for k, l := range lists {
			at[k] = ops.At(l, s.I)
		}
		return state{ops.Add(s.I, one), nextState(m, "fold", init, body(s.Acc, fill(xs, at)))}
	})
	return end.Acc
}

// Loop repeats the body while cond holds. Its state may hold any values; without
// gradients it runs in constant memory. Every iteration counts towards the
// depth limit of the execution.
//
//	for cond(s) { s = body(s) }
//	return s
func Loop[S any](init S, cond func(S) graph.Value, body func(S) S) S {
	vs, _, _ := Flatten(init)
	m := graph.ModuleOf(vs...)
	switch {
	case !checkState(m, "loop", init):
		return poisonAll(init)
	case cond == nil || body == nil:
		m.Errorf("loop", "%w: the condition or the body is nil", graph.ErrInvalid)
		return poisonAll(init)
	}
	specs := make([]graph.Value, len(vs))
	for i, v := range vs {
		specs[i] = graph.Spec(v.Type())
	}
	loop := Declare(m, "loop", fill(init, specs), fill(init, specs))
	loop.Define(func(s S) S {
		test := checkCondition(m, cond(s))
		return If(test, func() S { return loop.Invoke(nextState(m, "loop", init, body(s))) }, func() S { return s })
	})
	return loop.Invoke(init)
}

// checkState reports whether a fold or loop can begin with a state, and records
// why not.
func checkState[S any](m *graph.Module, what string, init S) bool {
	vs, paths, err := Flatten(init)
	if err != nil {
		m.Errorf(what, "%w", err)
		return false
	}
	if !m.Check(what) {
		return false
	}
	ok := true
	for i, v := range vs {
		ok = m.Check(strings.TrimSpace(what+", state "+paths[i]), v) && ok
	}
	return ok
}

// checkCondition poisons what cannot be the condition of a loop, and records it.
func checkCondition(m *graph.Module, test graph.Value) graph.Value {
	if !m.Check("loop, condition", test) {
		return graph.Poisoned()
	}
	if err := mismatch(test.Type(), graph.T(graph.Boolean)); err != nil {
		return m.Errorf("loop", "%w: the condition is %v, want bool", err, test)
	}
	return test
}

// nextState returns the state that a body has made. Values that differ in type
// from those that the fold or loop begins with are recorded and poisoned.
func nextState[S any](m *graph.Module, what string, init, next S) S {
	begin, paths, _ := Flatten(init)
	vs, _, err := Flatten(next)
	if err == nil && len(vs) != len(begin) {
		err = fmt.Errorf("%w: the state begins with %d values, the body returns %d", graph.ErrShape, len(begin), len(vs))
	}
	if err != nil {
		m.Errorf(what, "%w", err)
		return poisonAll(init)
	}
	got, want := slices.Clone(vs), make([]graph.Type, len(begin))
	for i, v := range begin {
		want[i] = v.Type()
	}
	fit(m, what, "state", vs, paths, want, func(name string, i int) string {
		return fmt.Sprintf("%s begins as %v, the body returns %v", name, begin[i], got[i])
	})
	return fill(next, vs)
}
