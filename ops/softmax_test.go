package ops_test

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var softmaxCases = slices.Concat(
	axisCases("softmax", ops.SoftmaxAxis),
	[]optest.Case{
		unaryCase("softmax", ops.Softmax, f32(3, 5)),
		unaryCase("log_softmax", ops.LogSoftmax, f32(40)),
		unaryCase("log_softmax", ops.LogSoftmax, f32(3, 5)),
		unaryCase("log_softmax", ops.LogSoftmax, f32(1)),
		unaryCase("log_softmax", ops.LogSoftmax, f32(anyLen)),
		unaryCase("log_softmax", ops.LogSoftmax, f32(anyLen, 5)),
		unaryCase("log_softmax", ops.LogSoftmax, f32(anyLen, 2, 3)),
	},
)

// axisCases use an operator along every kind of axis.
func axisCases(name string, f func(x graph.Value, axis int) graph.Value) []optest.Case {
	var cases []optest.Case
	for _, c := range []struct {
		x    []int
		axis int
	}{
		{[]int{40}, 0}, {[]int{3, 5}, 0}, {[]int{3, 5}, 1}, {[]int{2, 3, 4}, 1}, {[]int{3, 1}, -1}, {[]int{3, 1, 4}, 0},
		{[]int{anyLen}, 0}, {[]int{anyLen, 5}, 0}, {[]int{anyLen, 5}, -1}, {[]int{anyLen, 3, 4}, 0}, {[]int{anyLen, 3, 4}, 1},
	} {
		cases = append(cases, unaryCase(name, func(x graph.Value) graph.Value { return f(x, c.axis) }, f32(c.x...)))
	}
	return cases
}
