package ops

import "github.com/frondml/frond/graph"

// Mean is Sum divided by the number of summands. The mean of an empty list is
// NaN.
func Mean(x graph.Value, axes ...int) graph.Value {
	s, ok := axesOf("mean", x, axes)
	if !ok {
		return graph.Poisoned()
	}
	n := 1
	for _, i := range s.list() {
		if d := x.Type().Shape[i]; d != graph.Any {
			n *= d
		}
	}
	mean := MulScalar(apply(sumOp{axes: s}, x), 1/float64(n))
	if x.Type().IsList() && s.has(0) {
		mean = Div(mean, Cast(Len(x), graph.Float32))
	}
	return mean
}
