package ops

import "github.com/frondml/frond/graph"

// Dot returns the sum of x*y over the last axis: x [d], y [d] -> []; [n d], [n d]
// -> [n]; also for every element of lists. Other axes are broadcast.
func Dot(x, y graph.Value) graph.Value {
	if !sameLast("dot", x, y) {
		return graph.Poisoned()
	}
	return Sum(Mul(x, y), -1)
}

// SquaredDistance returns the sum of (x-y)² over the last axis: x [d], y [d] ->
// []; [n d], [n d] -> [n]; also for every element of lists. Other axes are
// broadcast.
func SquaredDistance(x, y graph.Value) graph.Value {
	if !sameLast("squared_distance", x, y) {
		return graph.Poisoned()
	}
	return Sum(Square(Sub(x, y)), -1)
}

// sameLast checks that the last axes are equally long, and records if not.
func sameLast(what string, x, y graph.Value) bool {
	m := graph.ModuleOf(x, y)
	if !m.Check(what, x, y) {
		return false
	}
	a, b := x.Type(), y.Type()
	if a.Rank() == 0 || b.Rank() == 0 || extent(a.Shape, 1) != extent(b.Shape, 1) {
		m.Errorf(what, "%w: x %v, y %v: want last axes of equal length", graph.ErrShape, a, b)
		return false
	}
	return true
}
