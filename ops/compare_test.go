package ops_test

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

var compareCases = slices.Concat(
	comparisonCases("less", ops.Less),
	comparisonCases("less_equal", ops.LessEqual),
	comparisonCases("greater", ops.Greater),
	comparisonCases("greater_equal", ops.GreaterEqual),
	comparisonCases("equal", ops.Equal),
	comparisonCases("not_equal", ops.NotEqual),
	with(binaryCases("equal", ops.Equal, boolean), noGrad),
	with(binaryCases("not_equal", ops.NotEqual, boolean), noGrad),
)

func comparisonCases(name string, f func(x, y graph.Value) graph.Value) []optest.Case {
	return with(slices.Concat(binaryCases(name, f, f32), binaryCases(name, f, i32)), func(c *optest.Case) {
		c.NoGrad = true
		c.IntRange = optest.Ints(0, 3)
	})
}
