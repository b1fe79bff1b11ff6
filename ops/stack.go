package ops

import "github.com/frondml/frond/graph"

// Stack puts k values of one type side by side along a new first axis: [h], [h],
// [h] -> [3 h]. Lists are stacked element by element, and what is no list among
// them is used for each element: [? h], [h] -> [? 2 h].
func Stack(vs ...graph.Value) graph.Value {
	rows := make([]graph.Value, len(vs))
	axis := 0
	for i, v := range vs {
		t := v.Type()
		dims := append([]int{1}, rowType(t).Shape...)
		if t.IsList() {
			dims = append([]int{graph.Any}, dims...)
			axis = 1
		}
		rows[i] = Reshape(v, dims...)
	}
	return ConcatAxis(axis, rows...)
}
