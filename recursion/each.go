package recursion

import (
	"cmp"
	"strconv"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Map invokes the body once per element of a list, or of several lists of equal
// length: the Values of xs are lists [? ...], those of x their elements. The
// results are lists in the same order. The invocations are independent.
//
//	for i := range xs { out[i] = body(xs[i]) }
func Map[X, O any](xs X, body func(x X) O) O {
	var result O
	m, lists, labels, ok := elements("map", xs, body != nil)
	if !ok {
		if _, _, err := Flatten(xs); err == nil && body != nil && m.Open() != nil {
			result = body(poisonAll(xs)) // says what the result is made of
		}
		return poisonAll(result)
	}
	elems := make([]graph.Value, len(lists))
	for i, l := range lists {
		elems[i] = graph.Spec(l.Type().Elem())
	}
	g := m.DeclareBody(m.Open().Name+".map", elems)
	g.DefineBody(labels, func(params []graph.Value) []graph.Value {
		result = body(fill(xs, params))
		vs, _, err := Flatten(result)
		if err != nil {
			m.Errorf("map", "%w", err)
		}
		return vs
	})
	for _, v := range g.Results {
		if v.IsPoison() {
			return poisonAll(result)
		}
	}
	return fill(result, m.Apply(NewInvoke(Each, len(lists), g), lists...))
}

// elements returns the lists in xs, with their labels and the module in whose
// open body they are used. It reports whether a body can be called with their
// elements, and records why not.
func elements[X any](what string, xs X, hasBody bool) (m *graph.Module, lists []graph.Value, labels []string, ok bool) {
	lists, labels, err := Flatten(xs)
	m = graph.ModuleOf(lists...)
	fail := func(format string, args ...any) (*graph.Module, []graph.Value, []string, bool) {
		m.Errorf(what, format, args...)
		return m, lists, labels, false
	}
	switch {
	case err != nil:
		return fail("%w", err)
	case !m.Check(what, lists...):
		return m, lists, labels, false
	case len(lists) == 0:
		return fail("%w: there is no list", graph.ErrInvalid)
	case !hasBody:
		return fail("%w: the body is nil", graph.ErrInvalid)
	}
	for i, l := range lists {
		if !l.Type().IsList() {
			return fail("%w: input %s is %v, want a list", graph.ErrShape, cmp.Or(labels[i], strconv.Itoa(i)), l.Type())
		}
	}
	return m, lists, labels, true
}

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
	start, _, err := Flatten(init)
	if err != nil {
		m.Errorf("fold", "%w", err)
		return poisonAll(init)
	}
	if !m.Check("fold", start...) {
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
		return state{ops.Add(s.I, one), body(s.Acc, fill(xs, at))}
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
	vs, _, err := Flatten(init)
	m := graph.ModuleOf(vs...)
	switch {
	case err != nil:
		m.Errorf("loop", "%w", err)
		return poisonAll(init)
	case !m.Check("loop", vs...):
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
		return If(cond(s), func() S { return loop.Invoke(body(s)) }, func() S { return s })
	})
	return loop.Invoke(init)
}
