package recursion

import (
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
	lists, labels, err := Flatten(xs)
	m := graph.ModuleOf(lists...)
	if m == nil {
		return poisonAll(result)
	}
	if err != nil || m.Open() == nil {
		if err == nil {
			err = graph.ErrScope
		}
		m.Errorf("map", "%w: used outside of the body of a subgraph, or with wrong inputs", err)
		return poisonAll(result)
	}
	elems, ok := elements(m, "map", lists)
	if !ok {
		return poisonAll(result)
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

// elements describes the elements of the lists.
func elements(m *graph.Module, what string, lists []graph.Value) ([]graph.Value, bool) {
	elems := make([]graph.Value, len(lists))
	for i, l := range lists {
		if l.IsPoison() {
			return nil, false
		}
		if !l.Type().IsList() {
			m.Errorf(what, "%w: input %d is %v, want a list", graph.ErrShape, i, l.Type())
			return nil, false
		}
		elems[i] = graph.Spec(l.Type().Elem())
	}
	return elems, true
}

// Fold combines the elements of a list, or of several lists of equal length,
// from the first to the last. With an empty list the result is init.
//
//	acc := init
//	for i := range xs { acc = body(acc, xs[i]) }
//	return acc
func Fold[X, S any](xs X, init S, body func(acc S, x X) S) S {
	lists, _, err := Flatten(xs)
	m := graph.ModuleOf(lists...)
	if m == nil {
		return poisonAll(init)
	}
	if err != nil {
		m.Errorf("fold", "%w", err)
		return poisonAll(init)
	}
	if _, ok := elements(m, "fold", lists); !ok {
		return poisonAll(init)
	}
	type state struct {
		I   graph.Value
		Acc S
	}
	n := ops.Len(lists[0])
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
	if m == nil {
		return poisonAll(init)
	}
	if err != nil {
		m.Errorf("loop", "%w", err)
		return poisonAll(init)
	}
	specs := make([]graph.Value, len(vs))
	for i, v := range vs {
		if v.IsPoison() {
			return poisonAll(init)
		}
		specs[i] = graph.Spec(v.Type())
	}
	loop := Declare(m, "loop", fill(init, specs), fill(init, specs))
	loop.Define(func(s S) S {
		return If(cond(s), func() S { return loop.Invoke(body(s)) }, func() S { return s })
	})
	return loop.Invoke(init)
}
