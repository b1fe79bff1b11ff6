package main

import (
	"io"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Interval lies between A and B; Depth counts how often it has been halved.
type Interval struct{ A, B, Depth graph.Value }

// interval is the Go side of Interval.
type interval struct {
	A, B  float32
	Depth int32
}

// integrate adds up the area below the root of x. Where Simpson's rule on an interval
// disagrees with that on its halves, each half is looked at more closely: the tree of
// intervals depends on the numbers, and nobody knows it before it is there.
func integrate(m *graph.Module) *recursion.SubGraph[Interval, graph.Value] {
	area := recursion.Declare(m, "area", Interval{graph.F32(), graph.F32(), graph.I32()}, graph.F32())
	return area.Define(func(x Interval) graph.Value {
		middle := ops.MulScalar(ops.Add(x.A, x.B), 0.5)
		coarse := simpson(x.A, x.B)
		fine := ops.Add(simpson(x.A, middle), simpson(middle, x.B))
		deeper := ops.And(
			ops.Greater(ops.Abs(ops.Sub(fine, coarse)), m.Float(1e-4)),
			ops.Less(x.Depth, m.Int(20)))
		return recursion.If(deeper, func() graph.Value {
			depth := ops.Add(x.Depth, m.Int(1))
			return ops.Add(
				area.Invoke(Interval{x.A, middle, depth}),
				area.Invoke(Interval{middle, x.B, depth}))
		}, func() graph.Value {
			return fine
		})
	})
}

// simpson is (b-a)/6 * (f(a) + 4 f((a+b)/2) + f(b)), where f is the root.
func simpson(a, b graph.Value) graph.Value {
	middle := ops.Sqrt(ops.MulScalar(ops.Add(a, b), 0.5))
	heights := ops.Add(ops.Sqrt(a), ops.MulScalar(middle, 4), ops.Sqrt(b))
	return ops.Mul(ops.MulScalar(ops.Sub(b, a), 1./6), heights)
}

func showDecisions(w io.Writer) error {
	return show[float32](w, "decisions", integrate, interval{A: 0, B: 1}, interval{A: 1, B: 4})
}
