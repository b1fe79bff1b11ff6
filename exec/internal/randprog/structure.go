package randprog

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// index is an integer in [0, n) made from a visible one, or a constant.
func (s *scope) index(n int) graph.Value {
	i := s.pick(isIntScalar)
	if i == nil || s.g.chance(0.2) {
		return s.g.m.Int(s.g.rng.IntN(n))
	}
	use(i)
	if n >= intBound {
		return i.Value
	}
	return ops.Mod(i.Value, s.g.m.Int(n))
}

// pickRow applies At to what is no list.
func pickRow(s *scope) bool {
	v := s.pick(func(v *value) bool { return v.Type().Rank() > 0 && !isList(v) })
	if v == nil {
		return false
	}
	use(v)
	n := v.Type().Shape[0]
	if s.g.chance(0.6) {
		s.add(ops.At(v.Value, s.index(n)), 0)
		return true
	}
	i := s.pick(func(v *value) bool { return isInt(v) && v.Type().Rank() == 1 })
	if i == nil {
		return false
	}
	use(i)
	index := i.Value
	if n < intBound {
		index = ops.Mod(index, s.g.m.Int(n))
	}
	s.add(ops.At(v.Value, index), i.class)
	return true
}

// embed looks rows of a variable up by an integer or by a list of them.
func embed(s *scope) bool {
	i := s.pick(func(v *value) bool { return isInt(v) && v.Type().Rank() <= 1 })
	if i == nil {
		return false
	}
	use(i)
	t := []int{intBound, oneOf(s, s.g.d[0], s.g.d[1])}
	if s.g.chance(0.2) {
		t = t[:1]
	}
	table := s.g.variable(graph.T(graph.Float32, t...))
	use(table)
	s.add(ops.At(table.Value, i.Value), i.class)
	return true
}

// scatter applies ScatterAt.
func scatter(s *scope) bool {
	v := s.pick(func(v *value) bool { return isFloat(v) && !isList(v) && v.Type().Rank() < 2 })
	if v == nil {
		return false
	}
	use(v)
	n := 2 + s.g.rng.IntN(3)
	like := s.g.m.Full(0, append([]int{n}, v.Type().Shape...)...)
	s.add(ops.ScatterAt(v.Value, s.index(n), like), 0)
	return true
}

// cut applies Slice, Split and Pad.
func cut(s *scope) bool {
	v := s.pick(func(v *value) bool {
		t := elem(v.Type())
		return t.DType.IsFloat() && t.Rank() > 0
	})
	if v == nil {
		return false
	}
	use(v)
	first := v.Type().Rank() - elem(v.Type()).Rank()
	axis := first + s.g.rng.IntN(elem(v.Type()).Rank())
	n := v.Type().Shape[axis]
	switch {
	case n == 1 || n < 6 && s.g.chance(0.2):
		s.add(ops.Pad(v.Value, axis, s.g.rng.IntN(2), n+1+s.g.rng.IntN(2)), v.class)
	case n%2 == 0 && axis == v.Type().Rank()-1:
		for _, part := range ops.Split(v.Value, 2) {
			s.add(part, v.class)
		}
	default:
		from := s.g.rng.IntN(n)
		s.add(ops.Slice(v.Value, axis, from, from+1+s.g.rng.IntN(n-from)), v.class)
	}
	return true
}

// combine applies ConcatAxis and Stack.
func combine(s *scope) bool {
	v := s.pick(func(v *value) bool { return elem(v.Type()).Rank() > 0 && elem(v.Type()).Size() <= 24 })
	if v == nil {
		return false
	}
	t := elem(v.Type())
	w := s.pick(func(w *value) bool {
		return elem(w.Type()).Equal(t) && (v.class == 0 || w.class == 0 || v.class == w.class)
	}) // v itself at least, unless another part of the scopes was drawn from
	if w == nil {
		w = v
	}
	use(v, w)
	class := max(v.class, w.class)
	if t.Rank() == 1 && s.g.chance(0.3) {
		s.add(ops.Stack(v.Value, w.Value), class)
		return true
	}
	if class == 0 {
		s.add(ops.ConcatAxis(s.g.rng.IntN(t.Rank()), v.Value, w.Value), 0)
		return true
	}
	s.add(ops.Concat(v.Value, w.Value), class)
	return true
}

// rearrange applies Reshape, Transpose and BroadcastTo.
func rearrange(s *scope) bool {
	v := s.pick(func(v *value) bool { return elem(v.Type()).Rank() > 0 })
	if v == nil {
		return false
	}
	use(v)
	t := elem(v.Type())
	list := []int{}
	if isList(v) {
		list = []int{graph.Any}
	}
	switch {
	case t.Rank() == 2 && s.g.chance(0.5):
		s.add(ops.Transpose(v.Value), v.class)
	case t.Rank() > 1:
		s.add(ops.Reshape(v.Value, append(list, t.Size())...), v.class)
	case t.Size()%2 == 0 && s.g.chance(0.5):
		s.add(ops.Reshape(v.Value, append(list, 2, t.Size()/2)...), v.class)
	case !isList(v):
		s.add(ops.BroadcastTo(v.Value, 2, t.Size()), 0)
	case s.g.chance(0.5):
		s.add(ops.ZerosLike(v.Value), v.class)
	default:
		s.add(ops.OnesLike(v.Value), v.class)
	}
	return true
}

// reduce applies Sum, Mean and MaxOver.
func reduce(s *scope) bool {
	v := s.pick(func(v *value) bool { return isFloat(v) && v.Type().Rank() > 0 })
	if v == nil {
		return false
	}
	use(v)
	t, x := v.Type(), v.Value
	axis := s.g.rng.IntN(t.Rank())
	class := v.class
	if axis == 0 {
		class = 0
	}
	n := t.Shape[axis]
	switch r := s.g.rng.IntN(4); {
	case n == graph.Any && r < 3:
		return s.float(ops.Sum(x, 0), floatBound*listBound, 0)
	case n == graph.Any:
		x = s.notEmpty(v)
		s.winnerMargin(x, 0)
		s.add(ops.MaxOver(x, 0), 0)
	case r == 0:
		return s.float(ops.Sum(x, axis), float64(floatBound*n), class)
	case r == 1:
		s.add(ops.Mean(x, axis), class)
	case axis == t.Rank()-1:
		s.winnerMargin(x, axis)
		s.add(ops.MaxOver(x, axis), class)
	default:
		return s.float(ops.Sum(x), floatBound*float64(max(listBound, t.Size())), 0)
	}
	return true
}

// count reduces integers and finds the place of the largest float.
func count(s *scope) bool {
	v := s.pick(func(v *value) bool { return !isBool(v) && v.Type().Rank() > 0 })
	if v == nil {
		return false
	}
	use(v)
	t, x := v.Type(), v.Value
	axis := oneOf(s, 0, t.Rank()-1)
	if t.Shape[axis] == graph.Any {
		x = s.notEmpty(v)
	} else {
		axis = t.Rank() - 1
	}
	class := v.class
	if axis == 0 {
		class = 0
	}
	switch {
	case isFloat(v):
		s.winnerMargin(x, axis)
		return s.int(ops.ArgMax(x, axis), class)
	case s.g.chance(0.5):
		return s.int(ops.Sum(x, axis), class)
	}
	s.add(ops.MaxOver(x, axis), class)
	return true
}

// oneHot applies OneHot.
func oneHot(s *scope) bool {
	v := s.pick(func(v *value) bool { return isInt(v) && v.Type().Rank() <= 1 })
	if v == nil {
		return false
	}
	use(v)
	s.add(ops.OneHot(v.Value, intBound), v.class)
	return true
}
