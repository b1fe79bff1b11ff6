package ops_test

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func castTo(d graph.DType) func(x graph.Value) graph.Value {
	return func(x graph.Value) graph.Value { return ops.Cast(x, d) }
}

var castCases = with([]optest.Case{
	unaryCase("cast to i32", castTo(graph.Int32), f32(2, 3)),
	unaryCase("cast to bool", castTo(graph.Boolean), f32(anyLen)),
	unaryCase("cast to f32", castTo(graph.Float32), i32(40)),
	unaryCase("cast to bool", castTo(graph.Boolean), i32(anyLen, 3)),
	unaryCase("cast to f32", castTo(graph.Float32), boolean()),
	unaryCase("cast to i32", castTo(graph.Int32), boolean(3)),
}, func(c *optest.Case) {
	c.NoGrad = true
	c.IntRange = optest.Ints(-2, 3)
	c.Domain = optest.Interval(-4, 4)
})
