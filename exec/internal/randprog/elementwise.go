package randprog

import (
	"math"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// producer adds to a scope what an operator makes of visible values. It reports
// false when none of them fits.
type producer struct {
	weight int
	make   func(s *scope) bool
}

// float makes x, whose elements are at most mag, available within the bound.
func (s *scope) float(x graph.Value, mag float64, class int) bool {
	switch {
	case mag <= floatBound:
	case math.IsInf(mag, 1):
		x = ops.Tanh(ops.MulScalar(x, 0.3))
	case s.g.chance(0.5):
		x = ops.Tanh(x)
	default:
		x = ops.MulScalar(x, floatBound/mag)
	}
	s.add(x, class)
	return true
}

// int makes x available within the bound; it may be negative.
func (s *scope) int(x graph.Value, class int) bool {
	m := s.g.m
	x = ops.Mod(x, m.Int(intBound))
	s.add(ops.Mod(ops.Add(x, m.Int(intBound)), m.Int(intBound)), class)
	return true
}

// positive is a positive number, away from zero, made from any float.
func (s *scope) positive(x graph.Value) (y graph.Value, lo, hi float64) {
	if s.g.chance(0.5) {
		return ops.AddScalar(ops.Square(x), 0.6), 0.6, 4.6
	}
	return ops.AddScalar(ops.Sigmoid(x), 0.5), 0.5, 1.5
}

func unaryFloat(s *scope) bool {
	v := s.pick(isFloat)
	if v == nil {
		return false
	}
	use(v)
	x := v.Value
	out := func(y graph.Value, mag float64) bool { return s.float(y, mag, v.class) }
	switch s.g.rng.IntN(16) {
	case 0, 1:
		return out(ops.Tanh(x), 1)
	case 2:
		return out(ops.Sigmoid(x), 1)
	case 3:
		s.margin(x)
		return out(ops.Relu(x), 2)
	case 4:
		return out(ops.Softplus(x), 2.2)
	case 5:
		return out(ops.Exp(x), 7.4)
	case 6:
		return out(ops.Square(x), 4)
	case 7:
		return out(ops.Neg(x), 2)
	case 8:
		s.margin(x)
		return out(ops.Abs(x), 2)
	case 9:
		y, _, hi := s.positive(x)
		return out(ops.Sqrt(y), math.Sqrt(hi))
	case 10:
		y, lo, hi := s.positive(x)
		return out(ops.Log(y), max(math.Log(hi), -math.Log(lo)))
	case 11:
		y, lo, _ := s.positive(x)
		return out(ops.Reciprocal(y), 1/lo)
	case 12:
		if s.g.chance(0.5) {
			return out(ops.MulScalar(x, s.number(-1, 1)), 2)
		}
		return out(ops.AddScalar(x, s.number(-0.5, 0.5)), 2.5)
	case 13:
		lo, hi := s.number(-1.2, -0.2), s.number(0.2, 1.2)
		s.margin(ops.AddScalar(x, -lo))
		s.margin(ops.AddScalar(x, -hi))
		return out(ops.Clip(x, lo, hi), 1.2)
	case 14:
		return out(ops.StopGradient(x), 2)
	}
	s.g.salts++
	return out(graph.Apply(ops.DropoutOp{Rate: 0.25, Salt: s.g.salts}, x), 2.7)
}

// fits reports whether values broadcast with each other.
func fits(v, w *value) bool {
	if v.class > 0 && w.class > 0 && v.class != w.class {
		return false
	}
	_, err := addOp.Infer([]graph.Type{{DType: graph.Float32, Shape: v.Type().Shape}, {DType: graph.Float32, Shape: w.Type().Shape}})
	return err == nil
}

var addOp, whereOp = registered("add"), registered("where")

// registered returns an operator without attributes.
func registered(name string) graph.Op {
	op, err := ops.Registry()[name](nil)
	if err != nil {
		panic(err) // the names are written in this package
	}
	return op
}

// pair picks two values that broadcast.
func (s *scope) pair(kind func(*value) bool) (v, w *value, class int) {
	v = s.pick(kind)
	if v == nil {
		return nil, nil, 0
	}
	w = s.pick(func(w *value) bool { return kind(w) && fits(v, w) }) // v itself at least
	if w == nil {
		w = v
	}
	use(v, w)
	if s.g.chance(0.5) {
		v, w = w, v
	}
	return v, w, max(v.class, w.class)
}

func binaryFloat(s *scope) bool {
	v, w, class := s.pair(isFloat)
	if v == nil {
		return false
	}
	x, y := v.Value, w.Value
	out := func(z graph.Value, mag float64) bool { return s.float(z, mag, class) }
	switch s.g.rng.IntN(10) {
	case 0, 1:
		return out(ops.Add(x, y), 4)
	case 2:
		return out(ops.Sub(x, y), 4)
	case 3, 4:
		return out(ops.Mul(x, y), 4)
	case 5:
		d, lo, _ := s.positive(y)
		return out(ops.Div(x, d), 2/lo)
	case 6:
		base, lo, hi := s.positive(x)
		return out(ops.Pow(base, y), max(hi*hi, 1/(lo*lo)))
	case 7:
		s.margin(ops.Sub(x, y))
		return out(ops.Maximum(x, y), 2)
	case 8:
		s.margin(ops.Sub(x, y))
		return out(ops.Minimum(x, y), 2)
	}
	return out(ops.Add(x, y, x), 6)
}

func chooseElements(s *scope) bool {
	kind := oneOf(s, isFloat, isInt, isBool)
	v, w, class := s.pair(kind)
	if v == nil {
		return false
	}
	cond := s.pick(func(c *value) bool {
		_, err := whereOp.Infer([]graph.Type{c.Type(), v.Type(), w.Type()})
		return err == nil && (class == 0 || c.class == 0 || c.class == class)
	})
	if cond == nil {
		return false
	}
	use(cond)
	s.add(ops.Where(cond.Value, v.Value, w.Value), max(class, cond.class))
	return true
}

func compareFloats(s *scope) bool {
	v, w, class := s.pair(isFloat)
	if v == nil {
		return false
	}
	s.margin(ops.Sub(v.Value, w.Value))
	s.add(oneOf(s, ops.Less, ops.LessEqual, ops.Greater, ops.GreaterEqual)(v.Value, w.Value), class)
	return true
}

func compareInts(s *scope) bool {
	v, w, class := s.pair(isInt)
	if v == nil {
		return false
	}
	s.add(oneOf(s, ops.Less, ops.LessEqual, ops.Greater, ops.GreaterEqual, ops.Equal, ops.NotEqual)(v.Value, w.Value), class)
	return true
}

func connectTruths(s *scope) bool {
	v, w, class := s.pair(isBool)
	if v == nil {
		return false
	}
	if s.g.chance(0.25) {
		s.add(ops.Not(v.Value), v.class)
		return true
	}
	s.add(oneOf(s, ops.And, ops.Or, ops.Xor, ops.Equal, ops.NotEqual)(v.Value, w.Value), class)
	return true
}

func binaryInt(s *scope) bool {
	v, w, class := s.pair(isInt)
	if v == nil {
		return false
	}
	x, y := v.Value, w.Value
	switch s.g.rng.IntN(6) {
	case 0:
		return s.int(ops.Add(x, y), class)
	case 1:
		return s.int(ops.Sub(x, y), class)
	case 2:
		return s.int(ops.Mul(x, y), class)
	case 3:
		s.add(ops.Maximum(x, y), class)
	case 4:
		s.add(ops.Minimum(x, y), class)
	default:
		s.add(ops.Mod(x, ops.Add(y, s.g.m.Int(1))), class)
	}
	return true
}

func convert(s *scope) bool {
	v := s.pick(func(*value) bool { return true })
	if v == nil {
		return false
	}
	use(v)
	x, m := v.Value, s.g.m
	switch {
	case isFloat(v) && s.g.chance(0.3):
		s.margin(x)
		s.add(ops.Cast(x, graph.Boolean), v.class)
		return true
	case isFloat(v):
		y := ops.MulScalar(x, 2.3)
		i := ops.Cast(y, graph.Int32)
		rest := ops.Abs(ops.Sub(y, ops.Cast(i, graph.Float32)))
		s.margin(rest)
		s.margin(ops.Sub(rest, m.Float(1)))
		return s.int(i, v.class)
	case isBool(v) && s.g.chance(0.5):
		s.add(ops.Cast(x, graph.Int32), v.class)
		return true
	case isInt(v) && s.g.chance(0.3):
		s.add(ops.Cast(x, graph.Boolean), v.class)
		return true
	}
	return s.float(ops.MulScalar(ops.Cast(x, graph.Float32), 0.2), 1.4, v.class)
}

// normalise applies operators over the last axis, or over the elements of a list.
func normalise(s *scope) bool {
	v := s.pick(func(v *value) bool { return isFloat(v) && v.Type().Rank() > 0 })
	if v == nil {
		return false
	}
	use(v)
	t := v.Type()
	n := t.Shape[t.Rank()-1]
	switch r := s.g.rng.IntN(4); {
	case r == 0:
		return s.float(ops.SoftmaxAxis(v.Value, s.g.rng.IntN(t.Rank())), 1, v.class)
	case r == 1 || n == graph.Any || n < 2:
		most := max(n, listBound)
		return s.float(ops.LogSoftmax(v.Value), 4+math.Log(float64(most)), v.class)
	}
	gain, bias := s.need(graph.T(graph.Float32, n), 0), s.need(graph.T(graph.Float32, n), 0)
	use(gain, bias)
	return s.float(ops.LayerNorm(v.Value, gain.Value, bias.Value, 0.3), 2+2*math.Sqrt(float64(n)), v.class)
}
