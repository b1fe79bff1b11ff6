package ops_test

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/ops/optest"
)

func add(x, y graph.Value) graph.Value { return ops.Add(x, y) }

func signedInts(c *optest.Case) { c.IntRange = optest.Ints(-20, 20) }

var arithmeticCases = slices.Concat(
	pairCases("add", add, allBroadcasts(f32)),
	with(pairCases("add", add, allBroadcasts(i32)), signedInts),
	binaryCases("sub", ops.Sub, f32),
	with(binaryCases("sub", ops.Sub, i32), signedInts),
	pairCases("mul", ops.Mul, allBroadcasts(f32)),
	with(binaryCases("mul", ops.Mul, i32), signedInts),
	with(binaryCases("div", ops.Div, f32), awayFromZero),
	with(binaryCases("div", ops.Div, i32), func(c *optest.Case) { c.IntRange = nonzeroInts }),
	with(binaryCases("pow", ops.Pow, f32), positive),
	with(binaryCases("maximum", ops.Maximum, f32), apart),
	with(binaryCases("maximum", ops.Maximum, i32), signedInts),
	with(binaryCases("minimum", ops.Minimum, f32), apart),
	with(binaryCases("minimum", ops.Minimum, i32), signedInts),
	with(binaryCases("mod", ops.Mod, i32), func(c *optest.Case) { c.IntRange = nonzeroInts }),
)
