package randprog

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// anyType draws the type of an input or result.
func (g *generator) anyType() graph.Type {
	if g.chance(0.4) {
		return graph.ListOf(g.elemType())
	}
	return g.elemType()
}

// elemType draws a type that is not a list.
func (g *generator) elemType() graph.Type {
	a, b := g.d[0], g.d[1]
	switch r := g.rng.IntN(24); {
	case r < 6:
		return graph.T(graph.Float32)
	case r < 12:
		return graph.T(graph.Float32, a)
	case r < 14:
		return graph.T(graph.Float32, b)
	case r < 17:
		return graph.T(graph.Float32, a, b)
	case r < 20:
		return graph.T(graph.Int32)
	case r < 22:
		return graph.T(graph.Boolean)
	case r < 23:
		return graph.T(graph.Int32, a)
	}
	return graph.T(graph.Boolean, b)
}

// types draws from lo to hi types, without lists when they cannot be.
func (g *generator) types(lo, hi int, lists bool) []graph.Type {
	ts := make([]graph.Type, lo+g.rng.IntN(hi-lo+1))
	for i := range ts {
		ts[i] = g.elemType()
		if lists {
			ts[i] = g.anyType()
		}
	}
	return ts
}

func specs(ts []graph.Type) []graph.Value {
	vs := make([]graph.Value, len(ts))
	for i, t := range ts {
		vs[i] = graph.Spec(t)
	}
	return vs
}

func isFloat(v *value) bool      { return v.Type().DType.IsFloat() }
func isInt(v *value) bool        { return v.Type().DType == graph.Int32 }
func isBool(v *value) bool       { return v.Type().DType == graph.Boolean }
func isList(v *value) bool       { return v.Type().IsList() }
func isIntScalar(v *value) bool  { return v.Type().Equal(graph.T(graph.Int32)) }
func isBoolScalar(v *value) bool { return v.Type().Equal(graph.T(graph.Boolean)) }

// elem is the type of a value, or of the elements of a list.
func elem(t graph.Type) graph.Type {
	if t.IsList() {
		return t.Elem()
	}
	return t
}

// variable returns a variable of the given type, an old one when there is one
// and chance has it.
func (g *generator) variable(t graph.Type) *value {
	for _, v := range g.vars {
		if v.Type().Equal(t) && g.chance(0.5) {
			return v
		}
	}
	name := string(rune('a'+len(g.vars)%26)) + string(rune('0'+len(g.vars)/26))
	v := &value{Value: g.m.Var(name, graph.Spec(t), oneOf(&scope{g: g}, graph.Uniform(0.9), graph.Normal(0.4), graph.Xavier()))}
	if g.chance(0.1) {
		g.m.Freeze(v.Value)
	}
	g.vars = append(g.vars, v)
	return v
}

// need returns a value of the given type: a visible one, a variable, a constant
// or one made for the purpose. A list is of the given class unless that is 0.
func (s *scope) need(t graph.Type, class int) *value {
	if s.g.chance(0.9) {
		if v := s.pick(func(v *value) bool { return v.Type().Equal(t) && (class == 0 || v.class == class) }); v != nil {
			return v
		}
	}
	if t.IsList() {
		return s.needList(t, class)
	}
	return s.needElem(t)
}

func (s *scope) needElem(t graph.Type) *value {
	m, size := s.g.m, t.Size()
	switch {
	case t.DType.IsFloat() && s.g.chance(0.7):
		return s.g.variable(t)
	case t.DType.IsFloat():
		data := make([]float32, size)
		for i := range data {
			data[i] = float32(s.number(-1, 1))
		}
		return s.add(m.Floats(data, t.Shape...), 0)
	case t.DType == graph.Int32:
		data := make([]int32, size)
		for i := range data {
			data[i] = s.g.rng.Int32N(intBound)
		}
		return s.add(m.Ints(data, t.Shape...), 0)
	}
	x := s.need(graph.T(graph.Int32, t.Shape...), 0)
	use(x)
	return s.add(ops.Less(x.Value, m.Int(4)), 0)
}

// needList makes a list.
func (s *scope) needList(t graph.Type, class int) *value {
	var like *value
	if class > 0 {
		like = s.pick(func(v *value) bool { return v.class == class })
	}
	if like == nil {
		return s.freshList(t)
	}
	use(like)
	return s.add(s.listOver(s.numbers(like), t.Elem()), class)
}

// numbers is the list 0, 1, ... as long as another one.
func (s *scope) numbers(like *value) graph.Value {
	if like.Type().Equal(graph.T(graph.Int32, graph.Any)) {
		return like.Value
	}
	return ops.Range(ops.Len(like.Value))
}

func (s *scope) freshList(t graph.Type) *value {
	if s.g.chance(0.4) {
		vs := make([]graph.Value, 1+s.g.rng.IntN(3))
		for i := range vs {
			v := s.need(t.Elem(), 0)
			use(v)
			vs[i] = v.Value
		}
		return s.add(ops.List(vs...), 0)
	}
	n := s.need(graph.T(graph.Int32), 0)
	use(n)
	return s.add(s.listOver(ops.Range(ops.Mod(n.Value, s.g.m.Int(4))), t.Elem()), 0)
}

// listOver makes a list of elements of type t from a list of integers.
func (s *scope) listOver(ints graph.Value, t graph.Type) graph.Value {
	m := s.g.m
	switch {
	case t.DType.IsFloat():
		table := s.g.variable(graph.T(graph.Float32, append([]int{intBound}, t.Shape...)...))
		use(table)
		return ops.At(table.Value, ints)
	case t.DType == graph.Int32 && t.IsScalar():
		return ints
	}
	data := make([]int32, intBound*t.Size())
	for i := range data {
		data[i] = s.g.rng.Int32N(intBound)
	}
	rows := ops.At(m.Ints(data, append([]int{intBound}, t.Shape...)...), ints)
	if t.DType == graph.Boolean {
		return ops.Less(rows, m.Int(4))
	}
	return rows
}

// scalar reduces any float value to a scalar within the bound.
func (s *scope) scalar(v *value) graph.Value {
	use(v)
	x := v.Value
	switch t := v.Type(); {
	case t.IsScalar():
		return x
	case t.IsList():
		return ops.Tanh(ops.Sum(x))
	case s.g.chance(0.5):
		return ops.Mean(x)
	default:
		return ops.MulScalar(ops.Sum(x), 1/float64(t.Size()))
	}
}

// result returns a value of the given type to be returned from a body: one that
// is there, handed through, or one that depends on what has not been used.
func (s *scope) result(t graph.Type) graph.Value {
	var v *value
	if own, _ := s.candidates(func(v *value) bool { return v.Type().Equal(t) && v.uses == 0 }); len(own) > 0 && s.g.chance(0.7) {
		v = own[len(own)-1]
	} else {
		v = s.need(t, 0)
	}
	use(v)
	x := v.Value
	if !t.DType.IsFloat() || s.g.chance(0.25) {
		return x
	}
	own, _ := s.candidates(func(v *value) bool { return v.uses == 0 && isFloat(v) })
	for i := range min(2, len(own)) {
		w := own[len(own)-1-i]
		x = ops.Mul(ops.Add(x, s.scalar(w)), s.g.m.Float(0.5))
	}
	return x
}

// results is result for several types.
func (s *scope) results(ts []graph.Type) []graph.Value {
	vs := make([]graph.Value, len(ts))
	for i, t := range ts {
		vs[i] = s.result(t)
	}
	return vs
}
