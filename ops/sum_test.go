package ops_test

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var sumCases = reductionCases("sum", ops.Sum)

// reductionCases reduce over every kind of axes.
func reductionCases(name string, f func(x graph.Value, axes ...int) graph.Value) []optest.Case {
	var cases []optest.Case
	for _, c := range []struct {
		x    []int
		axes []int
	}{
		{nil, nil}, {[]int{40}, nil}, {[]int{3, 5}, nil}, {[]int{3, 5}, []int{0}}, {[]int{3, 5}, []int{-1}},
		{[]int{2, 3, 4}, []int{1}}, {[]int{2, 3, 4}, []int{0, 2}}, {[]int{2, 1, 4}, []int{2, 1}},
		{[]int{anyLen}, nil}, {[]int{anyLen, 5}, []int{0}}, {[]int{anyLen, 5}, []int{1}}, {[]int{anyLen, 5}, nil},
		{[]int{anyLen, 3, 4}, []int{1}}, {[]int{anyLen, 3, 4}, []int{0, 1}}, {[]int{anyLen, 3, 4}, []int{0, 2}},
	} {
		reduce := func(x graph.Value) graph.Value { return f(x, c.axes...) }
		cases = append(cases, unaryCase(name, reduce, f32(c.x...)))
	}
	return cases
}
