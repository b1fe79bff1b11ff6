package randprog

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// maxLevel is how deep bodies nest.
const maxLevel = 4

// producers of all kinds, with the weights of the draw.
var producers []producer

func init() { // the producers of bodies refer to the list
	producers = []producer{
		{10, unaryFloat}, {10, binaryFloat}, {2, chooseElements}, {2, compareFloats}, {1, compareInts}, {1, connectTruths},
		{3, binaryInt}, {2, convert}, {3, normalise},
		{3, pickRow}, {3, embed}, {1, scatter}, {4, cut}, {4, combine}, {3, rearrange}, {3, reduce}, {2, count}, {1, oneHot},
		{7, affine}, {2, multiply}, {3, contract}, {1, weigh}, {1, entropy},
		{3, pickElement}, {2, makeList}, {2, joinLists}, {2, span}, {2, measure},
		{4, branch}, {2, branchOnFloat}, {2, switchCases}, {5, mapLists}, {3, foldLists}, {2, loop}, {9, invoke}, {2, nested},
		{2, loss}, {1, collect},
	}
}

// grow adds about n results of producers to the scope.
func (s *scope) grow(n int) {
	total := 0
	for _, p := range producers {
		total += p.weight
	}
	for range n {
		if s.g.steps == 0 {
			return
		}
		s.g.steps--
		for range 5 {
			r := s.g.rng.IntN(total)
			i := 0
			for ; r >= producers[i].weight; i++ {
				r -= producers[i].weight
			}
			if producers[i].make(s) {
				break
			}
		}
	}
}

// size draws how much a body grows: less, the deeper it is nested.
func (s *scope) size() int { return s.g.rng.IntN(6 - s.level) }

// take adds the results of a construct.
func (s *scope) take(vs []graph.Value, class int) {
	for _, v := range vs {
		s.add(v, class)
	}
}

// branches makes a body per construct's case.
func (s *scope) branches(n int, ts []graph.Type) []func() []graph.Value {
	bodies := make([]func() []graph.Value, n)
	for i := range bodies {
		bodies[i] = func() []graph.Value {
			c := s.inner()
			c.grow(c.size())
			return c.results(ts)
		}
	}
	return bodies
}

func branch(s *scope) bool {
	pred := s.pick(isBoolScalar)
	if pred == nil || s.level >= maxLevel {
		return false
	}
	use(pred)
	b := s.branches(2, s.g.types(1, 2, true))
	s.take(recursion.If(pred.Value, b[0], b[1]), 0)
	return true
}

func branchOnFloat(s *scope) bool {
	v := s.pick(func(v *value) bool { return isFloat(v) && !isList(v) && varies(v.Value) })
	if v == nil || s.level >= maxLevel {
		return false
	}
	x := s.scalar(v)
	if !s.fuel.IsZero() && s.g.chance(0.3) { // invocations by one another differ at least in this
		x = ops.Add(x, ops.MulScalar(ops.Cast(s.fuel, graph.Float32), 0.1))
	}
	pred := oneOf(s, ops.Less, ops.Greater)(x, s.threshold(x))
	b := s.branches(2, s.g.types(1, 2, true))
	s.take(recursion.If(pred, b[0], b[1]), 0)
	return true
}

func switchCases(s *scope) bool {
	if s.level >= maxLevel {
		return false
	}
	n := 2 + s.g.rng.IntN(3)
	selector := s.index(n)
	if v := s.pick(func(v *value) bool { return isFloat(v) && v.Type().Rank() == 1 && v.Type().Shape[0] == n }); v != nil {
		use(v)
		s.winnerMargin(v.Value, 0)
		selector = ops.ArgMax(v.Value, 0)
	}
	s.take(recursion.Switch(selector, s.branches(n, s.g.types(1, 2, true))...), 0)
	return true
}

// sameLists picks lists of one class.
func (s *scope) sameLists() (lists []graph.Value, class int) {
	v := s.pick(isList)
	if v == nil {
		return nil, 0
	}
	vs := []*value{v}
	for range s.g.rng.IntN(3) {
		if w := s.pick(func(w *value) bool { return w.class == v.class }); w != nil {
			vs = append(vs, w)
		}
	}
	use(vs...)
	for _, v := range vs {
		lists = append(lists, v.Value)
	}
	return lists, v.class
}

func mapLists(s *scope) bool {
	lists, class := s.sameLists()
	if lists == nil || s.level >= maxLevel {
		return false
	}
	ts := s.g.types(1, 2, false)
	s.take(recursion.Map(lists, func(x []graph.Value) []graph.Value {
		c := s.repeated()
		c.take(x, 0)
		c.grow(c.size())
		return c.results(ts)
	}), class)
	return true
}

// initial returns values of the types with which a fold or a loop starts.
func (s *scope) initial(ts []graph.Type) []graph.Value {
	vs := make([]graph.Value, len(ts))
	for i, t := range ts {
		v := s.need(t, 0)
		use(v)
		vs[i] = v.Value
	}
	return vs
}

func foldLists(s *scope) bool {
	lists, _ := s.sameLists()
	if lists == nil || s.level >= maxLevel {
		return false
	}
	if len(lists) > 1 && s.g.chance(0.5) {
		lists = lists[:1]
	}
	ts := make([]graph.Type, len(lists)) // Fold's state has the Go type of its elements
	for i := range ts {
		ts[i] = s.g.elemType()
	}
	s.take(recursion.Fold(lists, s.initial(ts), func(acc, x []graph.Value) []graph.Value {
		c := s.repeated()
		c.take(acc, 0)
		c.take(x, 0)
		c.grow(c.size())
		return c.results(ts)
	}), 0)
	return true
}

func loop(s *scope) bool {
	if s.level >= maxLevel {
		return false
	}
	m := s.g.m
	ts := append([]graph.Type{graph.T(graph.Int32)}, s.g.types(1, 2, true)...)
	start := append([]graph.Value{m.Int(0)}, s.initial(ts[1:])...)
	limit := s.index(5)
	float := slices.IndexFunc(ts, func(t graph.Type) bool { return t.DType.IsFloat() && !t.IsList() })
	onFloat := float > 0 && s.g.chance(0.5)
	r := recursion.Loop(start, func(st []graph.Value) graph.Value {
		more := ops.Less(st[0], limit)
		if onFloat {
			x := s.scalar(&value{Value: st[float]})
			more = ops.And(more, ops.Less(x, s.threshold(x)))
		}
		return more
	}, func(st []graph.Value) []graph.Value {
		c := s.repeated()
		c.take(st, 0)
		c.grow(c.size())
		return append([]graph.Value{ops.Add(st[0], m.Int(1))}, c.results(ts[1:])...)
	})
	s.add(r[0], 0)
	s.take(r[1:], 0)
	return true
}

func loss(s *scope) bool {
	v := s.pick(isFloat)
	if v == nil {
		return false
	}
	recursion.Loss(s.scalar(v))
	return true
}

func collect(s *scope) bool {
	v := s.pick(func(v *value) bool { return !isList(v) && v.Type().Rank() < 2 })
	if v == nil {
		return false
	}
	use(v)
	recursion.Collect("table "+v.Type().String(), s.index(intBound), v.Value)
	return true
}
