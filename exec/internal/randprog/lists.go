package randprog

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// notEmpty is the list v with an element put in front.
func (s *scope) notEmpty(v *value) graph.Value {
	first := s.need(v.Type().Elem(), 0)
	use(first)
	return ops.Join(ops.List(first.Value), v.Value)
}

// pickElement applies At to a list.
func pickElement(s *scope) bool {
	v := s.pick(isList)
	if v == nil {
		return false
	}
	use(v)
	list := s.notEmpty(v)
	if s.g.chance(0.6) {
		s.add(ops.At(list, ops.Mod(s.index(intBound), ops.Len(list))), 0)
		return true
	}
	i := s.pick(func(i *value) bool {
		return isInt(i) && i.Type().Rank() == 1 && (v.Type().Rank() < 3 || isList(i))
	})
	if i == nil {
		s.add(ops.At(list, s.g.m.Int(0)), 0)
		return true
	}
	use(i)
	s.add(ops.At(list, ops.Mod(i.Value, ops.Len(list))), i.class)
	return true
}

// makeList applies List.
func makeList(s *scope) bool {
	v := s.pick(func(v *value) bool { return !isList(v) && v.Type().Size() <= 24 })
	if v == nil {
		return false
	}
	use(v)
	vs := []graph.Value{v.Value}
	for range s.g.rng.IntN(3) {
		w := s.need(v.Type(), 0)
		use(w)
		vs = append(vs, w.Value)
	}
	s.add(ops.List(vs...), 0)
	return true
}

// joinLists applies Join and cuts the result to the bound.
func joinLists(s *scope) bool {
	v := s.pick(isList)
	if v == nil {
		return false
	}
	w := s.need(v.Type(), 0)
	use(v, w)
	list := ops.Join(v.Value, w.Value)
	m := s.g.m
	s.add(ops.Span(list, m.Int(0), ops.Minimum(ops.Len(list), m.Int(listBound))), 0)
	return true
}

// span applies Span with bounds that fit.
func span(s *scope) bool {
	v := s.pick(isList)
	if v == nil {
		return false
	}
	use(v)
	m := s.g.m
	n := ops.Len(v.Value)
	from := ops.Mod(s.index(intBound), ops.Add(n, m.Int(1)))
	to := ops.Add(from, ops.Mod(s.index(intBound), ops.Add(ops.Sub(n, from), m.Int(1))))
	s.add(ops.Span(v.Value, from, to), 0)
	return true
}

// measure applies Len and Range.
func measure(s *scope) bool {
	if v := s.pick(isList); v != nil && s.g.chance(0.5) {
		use(v)
		if s.g.chance(0.5) {
			s.add(ops.Len(v.Value), 0)
		} else {
			s.add(ops.Range(ops.Len(v.Value)), v.class)
		}
		return true
	}
	n := s.pick(isIntScalar)
	if n == nil {
		return false
	}
	use(n)
	s.add(ops.Range(ops.Mod(n.Value, s.g.m.Int(5))), 0)
	return true
}
