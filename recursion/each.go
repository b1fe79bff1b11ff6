package recursion

import (
	"cmp"
	"strconv"

	"github.com/frondml/frond/graph"
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
		vs, paths, err := Flatten(result)
		if err != nil {
			m.Errorf("map", "%w", err)
		}
		for i, v := range vs {
			if v.Type().IsList() {
				vs[i] = m.Errorf("map", "%w: %s of each invocation is the list %v; lists of lists are not supported", graph.ErrShape, resultName(paths[i]), v)
			}
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
