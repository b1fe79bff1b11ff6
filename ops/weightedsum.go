package ops

import "github.com/frondml/frond/graph"

// WeightedSum returns the sum of w[i]*xs[i] over the elements of lists of equal
// length, or over the first axis: w [?], xs [? ...] -> [...]. The sum over an
// empty list is zero. Gradient: dw[i] is the sum of ct*xs[i], dxs[i] = w[i]*ct.
func WeightedSum(w, xs graph.Value) graph.Value {
	m := graph.ModuleOf(w, xs)
	wt, xt := w.Type(), xs.Type()
	if !m.Check("WeightedSum", w, xs) {
		return graph.Poisoned()
	}
	if wt.Rank() != 1 || xt.Rank() == 0 || wt.Shape[0] != xt.Shape[0] {
		return m.Errorf("WeightedSum", "%w: w %v, xs %v: want w [?], xs [? ...] or w [n], xs [n ...]", graph.ErrShape, wt, xt)
	}
	n, elem := wt.Shape[0], xt.Elem()
	sum := apply(MatMulOp{TransA: true}, Reshape(w, n, 1), Reshape(xs, n, elem.Size()))
	return Reshape(sum, elem.Shape...)
}
