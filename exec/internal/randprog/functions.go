package randprog

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// program builds the module and returns the classes of main's inputs.
func (g *generator) program() []int {
	top := &scope{g: g}
	for range 1 + g.rng.IntN(3) {
		top.fns = append(top.fns, g.declare())
	}
	for _, f := range top.fns {
		g.define(f, top)
	}
	in := append([]graph.Type{graph.T(graph.Int32)}, g.types(3, 6, true)...)
	out := append([]graph.Type{graph.T(graph.Float32)}, g.types(1, 4, true)...)
	var classes []int
	lists := [2]int{g.newClass(), g.newClass()}
	for _, t := range in {
		class := 0
		if t.IsList() {
			class = lists[g.rng.IntN(2)]
		}
		classes = append(classes, class)
	}
	main := recursion.Declare(g.m, "main", specs(in), specs(out))
	main.Define(func(params []graph.Value) []graph.Value {
		calls := 4
		s := &scope{g: g, up: top, calls: &calls, cost: 1}
		s.fuel = ops.Minimum(params[0], g.m.Int(5))
		for i, p := range params {
			s.add(p, classes[i])
		}
		s.grow(4 + g.rng.IntN(10))
		for calls > 0 && invoke(s) {
		}
		return s.results(out)
	})
	return classes
}

// declare draws the signature of a function.
func (g *generator) declare() *function {
	f := &function{
		in:  append([]graph.Type{graph.T(graph.Int32)}, g.types(1, 4, true)...),
		out: g.types(1, 3, true),
	}
	f.sub = recursion.Declare(g.m, fmt.Sprintf("f%d", g.functions), specs(f.in), specs(f.out))
	g.functions++
	return f
}

// define draws the body of a function: some work, a branch on the fuel whose
// first side may invoke functions, and more work with its results. In a tail
// recursive function there is no more work.
func (g *generator) define(f *function, up *scope) {
	f.sub.Define(func(params []graph.Value) []graph.Value {
		s := &scope{g: g, up: up, fuel: params[0], level: up.level}
		s.take(params[1:], 0)
		s.grow(s.size() / 2)
		tail := g.chance(0.3)
		ts := f.out
		if !tail {
			ts = g.types(1, 3, true)
		}
		r := recursion.If(ops.Less(g.m.Int(0), s.fuel), func() []graph.Value {
			c := s.inner()
			calls := 2 + g.rng.IntN(2)
			c.calls, c.cost = &calls, 1
			c.grow(1 + c.size())
			if tail && g.chance(0.7) {
				return c.invocation(f)
			}
			for calls > 0 && invoke(c) {
			}
			return c.results(ts)
		}, func() []graph.Value {
			c := s.inner()
			c.grow(c.size() / 2)
			return c.results(ts)
		})
		if tail {
			return r
		}
		s.take(r, 0)
		s.grow(s.size())
		return s.results(f.out)
	})
}

// invocation invokes a function with less fuel.
func (s *scope) invocation(f *function) []graph.Value {
	m := s.g.m
	args := []graph.Value{ops.Sub(s.fuel, m.Int(oneOf(s, 1, 1, 1, 2)))}
	for _, t := range f.in[1:] {
		v := s.need(t, 0)
		use(v)
		args = append(args, v.Value)
	}
	return f.sub.Invoke(args)
}

// invoke invokes a visible function.
func invoke(s *scope) bool {
	if s.calls == nil || *s.calls < s.cost {
		return false
	}
	var fns []*function
	for q := s; q != nil; q = q.up {
		fns = append(fns, q.fns...)
	}
	*s.calls -= s.cost
	s.take(s.invocation(fns[s.g.rng.IntN(len(fns))]), 0)
	return true
}

// nested declares one or two functions inside a body, whose values they capture,
// and invokes the first.
func nested(s *scope) bool {
	if s.calls == nil || *s.calls < s.cost || s.level >= maxLevel-1 || s.g.functions > 5 {
		return false
	}
	fns := []*function{s.g.declare()}
	if s.g.chance(0.3) {
		fns = append(fns, s.g.declare())
	}
	s.fns = append(s.fns, fns...)
	for _, f := range fns {
		s.g.define(f, s.inner())
	}
	*s.calls -= s.cost
	for _, f := range fns { // each at least once: the module reports what nothing invokes
		s.take(s.invocation(f), 0)
	}
	return true
}
