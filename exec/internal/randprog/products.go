package randprog

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// isVectors reports whether v is a vector or a matrix or a list of them.
func isVectors(v *value) bool {
	r := elem(v.Type()).Rank()
	return isFloat(v) && (r == 1 || r == 2)
}

// affine multiplies with a variable, in both orientations, and adds a bias.
func affine(s *scope) bool {
	v := s.pick(isVectors)
	if v == nil {
		return false
	}
	use(v)
	n := v.Type().Shape[v.Type().Rank()-1]
	h := oneOf(s, s.g.d[0], s.g.d[1], 2*s.g.d[1])
	var y graph.Value
	if s.g.chance(0.5) {
		w := s.g.variable(graph.T(graph.Float32, n, h))
		use(w)
		y = ops.MatMul(v.Value, w.Value)
	} else {
		w := s.g.variable(graph.T(graph.Float32, h, n))
		use(w)
		y = ops.MatMulT(v.Value, w.Value)
	}
	if s.g.chance(0.6) {
		bias := s.need(graph.T(graph.Float32, h), 0)
		use(bias)
		y = ops.Add(y, bias.Value)
	}
	return s.float(y, float64(2+3*n), v.class)
}

// multiply multiplies two computed values.
func multiply(s *scope) bool {
	v := s.pick(isVectors)
	if v == nil {
		return false
	}
	trans := s.g.chance(0.5)
	op := graph.Op(ops.MatMulOp{TransB: trans})
	w := s.pick(func(w *value) bool {
		_, err := op.Infer([]graph.Type{v.Type(), w.Type()})
		return err == nil && (v.class == 0 || w.class == 0 || v.class == w.class)
	})
	if w == nil {
		return false
	}
	use(v, w)
	n := v.Type().Shape[v.Type().Rank()-1]
	return s.float(graph.Apply(op, v.Value, w.Value), float64(4*n), max(v.class, w.class))
}

// contract applies Dot, SquaredDistance, Outer and Bilinear to two vectors.
func contract(s *scope) bool {
	v := s.pick(func(v *value) bool { return isFloat(v) && elem(v.Type()).Rank() == 1 })
	if v == nil {
		return false
	}
	n := v.Type().Shape[v.Type().Rank()-1]
	same := s.g.chance(0.6)
	w := s.pick(func(w *value) bool {
		return isFloat(w) && elem(w.Type()).Rank() == 1 && (v.class == 0 || w.class == 0 || v.class == w.class) &&
			(!same || w.Type().Shape[w.Type().Rank()-1] == n)
	})
	if w == nil {
		return false
	}
	use(v, w)
	k, class := w.Type().Shape[w.Type().Rank()-1], max(v.class, w.class)
	x, y := v.Value, w.Value
	switch r := s.g.rng.IntN(4); {
	case k == n && r == 0:
		return s.float(ops.SquaredDistance(x, y), float64(16*n), class)
	case k == n && r < 3:
		return s.float(ops.Dot(x, y), float64(4*n), class)
	case r < 2 && n*k < 40:
		return s.float(ops.Outer(x, y), 4, class)
	}
	t := s.g.variable(graph.T(graph.Float32, 2, n, k))
	use(t)
	return s.float(ops.Bilinear(x, t.Value, y), float64(6*n*k), class)
}

// weigh applies WeightedSum to lists, or to a vector and a matrix.
func weigh(s *scope) bool {
	v := s.pick(func(v *value) bool { return isFloat(v) && v.Type().Rank() > 1 })
	if v == nil {
		return false
	}
	use(v)
	w := s.need(graph.T(graph.Float32, v.Type().Shape[0]), v.class)
	use(w)
	return s.float(ops.WeightedSum(w.Value, v.Value), 4*float64(max(listBound, v.Type().Shape[0])), 0)
}

// entropy applies CrossEntropy.
func entropy(s *scope) bool {
	v := s.pick(func(v *value) bool {
		t := v.Type()
		return isFloat(v) && t.Rank() > 0 && t.Shape[t.Rank()-1] != graph.Any
	})
	if v == nil {
		return false
	}
	use(v)
	t := v.Type()
	k := t.Shape[t.Rank()-1]
	label := s.need(graph.T(graph.Int32, t.Shape[:t.Rank()-1]...), v.class)
	use(label)
	index := label.Value
	if k < intBound {
		index = ops.Mod(index, s.g.m.Int(k))
	}
	return s.float(ops.CrossEntropy(v.Value, index), 8, v.class)
}
