package main

import (
	"io"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// Pair is the state of a loop.
type Pair struct{ X, Y graph.Value }

// pair is the Go side of Pair.
type pair struct{ X, Y int32 }

// gcd is Euclid's algorithm as a loop.
func gcd(m *graph.Module) *recursion.SubGraph[Pair, graph.Value] {
	f := recursion.Declare(m, "gcd", Pair{graph.I32(), graph.I32()}, graph.I32())
	return f.Define(func(p Pair) graph.Value {
		end := recursion.Loop(p, func(p Pair) graph.Value {
			return ops.NotEqual(p.Y, m.Int(0))
		}, func(p Pair) Pair {
			return Pair{p.Y, ops.Mod(p.X, p.Y)}
		})
		return end.X
	})
}

// gcdByTailCall is the same, written as a graph that ends by invoking itself. It is
// executed in the same way: the frame of the caller is reused.
func gcdByTailCall(m *graph.Module) *recursion.SubGraph[Pair, graph.Value] {
	f := recursion.Declare(m, "gcd", Pair{graph.I32(), graph.I32()}, graph.I32())
	return f.Define(func(p Pair) graph.Value {
		return recursion.If(ops.Equal(p.Y, m.Int(0)), func() graph.Value {
			return p.X
		}, func() graph.Value {
			return f.Invoke(Pair{p.Y, ops.Mod(p.X, p.Y)})
		})
	})
}

// Polynomial is a list of coefficients, the highest power first, and an argument.
type Polynomial struct{ Coefficients, X graph.Value }

// polynomial is the Go side of Polynomial.
type polynomial struct {
	Coefficients []float32
	X            float32
}

// horner goes through a list from the first element to the last.
func horner(m *graph.Module) *recursion.SubGraph[Polynomial, graph.Value] {
	f := recursion.Declare(m, "horner", Polynomial{graph.F32(graph.Any), graph.F32()}, graph.F32())
	return f.Define(func(p Polynomial) graph.Value {
		return recursion.Fold(p.Coefficients, m.Float(0), func(acc, c graph.Value) graph.Value {
			return ops.Add(ops.Mul(acc, p.X), c)
		})
	})
}

func showTail(w io.Writer) error {
	if err := show[int](w, "loop", gcd, pair{48, 36}, pair{17, 5}, pair{0, 3}); err != nil {
		return err
	}
	if err := show[int](w, "tail call", gcdByTailCall, pair{48, 36}, pair{17, 5}, pair{0, 3}); err != nil {
		return err
	}
	// 2x² - 3x + 4 at 5
	return show[float32](w, "fold", horner, polynomial{[]float32{2, -3, 4}, 5})
}
