package recursion

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// If invokes one of two bodies, which return results of the same types and may
// use every value in scope. Only the chosen body runs.
//
//	if pred { return then() } else { return els() }
func If[S any](pred graph.Value, then, els func() S) S {
	return choose("if", pred, []string{"then", "else"}, then, els)
}

// Switch invokes the body with number i, counted from 0. A number without a body
// is an error when the program runs.
//
//	return bodies[i]()
func Switch[S any](i graph.Value, bodies ...func() S) S {
	names := make([]string, len(bodies))
	for k := range bodies {
		names[k] = fmt.Sprintf("case%d", k)
	}
	return choose("switch", i, names, bodies...)
}

// choose builds the bodies and the node that selects one of them.
func choose[S any](what string, selector graph.Value, names []string, bodies ...func() S) S {
	m := graph.ModuleOf(selector)
	var result S
	var paths []string // of the results
	ok := checkSelector(m, what, selector)
	if m == nil || m.Open() == nil {
		return poisonAll(result)
	}
	if len(bodies) == 0 {
		m.Errorf(what, "%w: there is no body to choose", graph.ErrInvalid)
		return poisonAll(result)
	}
	// With a wrong selector, too, the bodies say what the result is made of.
	graphs := make([]*graph.Graph, len(bodies))
	for k, body := range bodies {
		if body == nil {
			m.Errorf(what, "%w: the body %s is nil", graph.ErrInvalid, names[k])
			return poisonAll(result)
		}
		graphs[k] = m.Body(m.Open().Name+"."+names[k], func() []graph.Value {
			r := body()
			vs, names, err := Flatten(r)
			if k == 0 {
				result, paths = r, names
			}
			if err != nil {
				m.Errorf(what, "%w", err)
			}
			return vs
		})
	}
	if !ok || !agree(m, what, graphs, paths) {
		return poisonAll(result)
	}
	return fill(result, m.Apply(NewInvoke(Select, 0, graphs...), selector))
}

// checkSelector reports whether the value can select a body, and records why not.
func checkSelector(m *graph.Module, what string, selector graph.Value) bool {
	if !m.Check(what, selector) {
		return false
	}
	want := graph.Boolean
	if what == "switch" {
		want = graph.Int32
	}
	t := selector.Type()
	if err := mismatch(t, graph.T(want)); err != nil {
		m.Errorf(what, "%w: the selector is %v, want a scalar %v", err, t, want)
		return false
	}
	return true
}

// agree reports whether all bodies return the same types, and records where not.
func agree(m *graph.Module, what string, graphs []*graph.Graph, paths []string) bool {
	ok := true
	first := graphs[0]
	for _, g := range graphs[1:] {
		if len(g.Out) != len(first.Out) {
			m.Errorf(what, "%w: the bodies return %d and %d results", graph.ErrShape, len(first.Out), len(g.Out))
			return false
		}
	}
	for _, g := range graphs {
		for i, v := range g.Results {
			if v.IsPoison() || first.Results[i].IsPoison() {
				ok = false
			} else if err := mismatch(g.Out[i], first.Out[i]); err != nil {
				m.Errorf(what, "%w: the bodies differ in %s: %v and %v", err, resultName(paths[i]), first.Results[i], v)
				ok = false
			}
		}
	}
	return ok
}
