package ops

import "github.com/frondml/frond/graph"

// Bilinear returns h with h[k] = aᵀ·v[k]·b: a [n], v [k n m], b [m] -> [k], and
// the same for every element of lists a [? n] or b [? m]. It is the product of
// the outer product of a and b with v as a matrix [k n*m], so that a batch takes
// one product of matrices. Gradient: from its parts.
func Bilinear(a, v, b graph.Value) graph.Value {
	m, t := graph.ModuleOf(a, v, b), v.Type()
	if !m.Check("Bilinear", a, v, b) {
		return graph.Poisoned()
	}
	if t.Rank() != 3 || t.IsList() {
		return m.Errorf("Bilinear", "%w: a %v, v %v, b %v: want v [k n m]", graph.ErrShape, a.Type(), t, b.Type())
	}
	pairs := Outer(a, b)
	if pairs.IsPoison() {
		return pairs
	}
	rows, p := t.Shape, pairs.Type()
	if got := rowType(p); !got.Shape.Equal(rows[1:]) {
		return m.Errorf("Bilinear", "%w: a %v, v %v, b %v: want a [.. %d], b [.. %d]", graph.ErrShape, a.Type(), t, b.Type(), rows[1], rows[2])
	}
	flat := []int{rowType(p).Size()}
	if p.IsList() {
		flat = []int{graph.Any, flat[0]}
	}
	return MatMulT(Reshape(pairs, flat...), Reshape(v, rows[0], rows[1]*rows[2]))
}
