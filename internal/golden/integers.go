package golden

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// IntegerCase holds the results of a recursive function of integers.
type IntegerCase struct {
	Name    string
	Program *graph.Program
	Graph   *graph.Graph // the function; its parameters and its result are scalars
	Args    [][]int32    // per call of the function
	Value   []int32      // 1 for true
	Calls   []int        // invocations, the first one included
	Depth   []int        // likewise, on the deepest path
}

// Integers builds the recursive functions of integers that the file has results
// for. Arguments whose result does not fit into 32 bits are left out.
func (f *File) Integers(t testing.TB) []IntegerCase {
	t.Helper()
	var results struct {
		Cases []struct {
			Name   string
			Args   [][]int32
			Values []json.RawMessage
			Calls  []int
			Depth  []int
		}
	}
	f.Decode(t, &results)
	var cases []IntegerCase
	for _, r := range results.Cases {
		define, ok := integerFunctions[r.Name]
		if !ok {
			continue // results about trees
		}
		m := graph.NewModule(r.Name)
		define(m)
		p, err := m.Build()
		if err != nil {
			t.Fatalf("golden %s: %v", r.Name, err)
		}
		c := IntegerCase{Name: r.Name, Program: p, Graph: p.Graph(r.Name)}
		for i, text := range r.Values {
			v, fits := integer(text)
			if fits {
				c.Args = append(c.Args, r.Args[i])
				c.Value = append(c.Value, v)
				c.Calls = append(c.Calls, r.Calls[i])
				c.Depth = append(c.Depth, r.Depth[i])
			}
		}
		cases = append(cases, c)
	}
	return cases
}

func integer(text json.RawMessage) (i int32, fits bool) {
	switch string(text) {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	var n float64
	if json.Unmarshal(text, &n) != nil || n > math.MaxInt32 {
		return 0, false
	}
	return int32(n), true
}

// function declares and defines a function of integers.
func function[In any](m *graph.Module, name string, in In, body func(self func(In) graph.Value, in In) graph.Value) {
	f := recursion.Declare(m, name, in, graph.I32())
	f.Define(func(in In) graph.Value { return body(f.Invoke, in) })
}

type unary = func(n graph.Value) graph.Value

type pair struct{ A, B graph.Value }

// choose is recursion.If for one value.
func choose(pred graph.Value, then, els func() graph.Value) graph.Value {
	return recursion.If(pred, then, els)
}

// integerFunctions are the functions as the reference defines them.
var integerFunctions = map[string]func(m *graph.Module){
	"factorial": func(m *graph.Module) {
		function(m, "factorial", graph.I32(), func(f unary, n graph.Value) graph.Value {
			return choose(ops.Equal(n, m.Int(0)),
				func() graph.Value { return m.Int(1) },
				func() graph.Value { return ops.Mul(n, f(ops.Sub(n, m.Int(1)))) })
		})
	},
	"fib": func(m *graph.Module) {
		function(m, "fib", graph.I32(), func(f unary, n graph.Value) graph.Value {
			return choose(ops.Less(n, m.Int(2)),
				func() graph.Value { return n },
				func() graph.Value { return ops.Add(f(ops.Sub(n, m.Int(1))), f(ops.Sub(n, m.Int(2)))) })
		})
	},
	"ackermann": func(m *graph.Module) {
		function(m, "ackermann", pair{graph.I32(), graph.I32()}, func(f func(pair) graph.Value, p pair) graph.Value {
			one := m.Int(1)
			return choose(ops.Equal(p.A, m.Int(0)),
				func() graph.Value { return ops.Add(p.B, one) },
				func() graph.Value {
					return choose(ops.Equal(p.B, m.Int(0)),
						func() graph.Value { return f(pair{ops.Sub(p.A, one), one}) },
						func() graph.Value { return f(pair{ops.Sub(p.A, one), f(pair{p.A, ops.Sub(p.B, one)})}) })
				})
		})
	},
	"even": parity,
	"odd":  parity,
	"collatz": func(m *graph.Module) {
		function(m, "collatz", graph.I32(), func(f unary, n graph.Value) graph.Value {
			one, two := m.Int(1), m.Int(2)
			return choose(ops.Equal(n, one),
				func() graph.Value { return m.Int(0) },
				func() graph.Value {
					next := choose(ops.Equal(ops.Mod(n, two), m.Int(0)),
						func() graph.Value { return ops.Div(n, two) },
						func() graph.Value { return ops.Add(ops.Mul(n, m.Int(3)), one) })
					return ops.Add(one, f(next))
				})
		})
	},
	"gcd": func(m *graph.Module) {
		function(m, "gcd", pair{graph.I32(), graph.I32()}, func(f func(pair) graph.Value, p pair) graph.Value {
			return choose(ops.Equal(p.B, m.Int(0)),
				func() graph.Value { return p.A },
				func() graph.Value { return f(pair{p.B, ops.Mod(p.A, p.B)}) })
		})
	},
	"mccarthy91": func(m *graph.Module) {
		function(m, "mccarthy91", graph.I32(), func(f unary, n graph.Value) graph.Value {
			return choose(ops.Greater(n, m.Int(100)),
				func() graph.Value { return ops.Sub(n, m.Int(10)) },
				func() graph.Value { return f(f(ops.Add(n, m.Int(11)))) })
		})
	},
	"hanoi": func(m *graph.Module) {
		function(m, "hanoi", graph.I32(), func(f unary, n graph.Value) graph.Value {
			return choose(ops.Equal(n, m.Int(0)),
				func() graph.Value { return n },
				func() graph.Value {
					smaller := ops.Sub(n, m.Int(1))
					return ops.Add(f(smaller), m.Int(1), f(smaller))
				})
		})
	},
}

// parity defines even and odd by each other.
func parity(m *graph.Module) {
	even := recursion.Declare(m, "even", graph.I32(), graph.Bool())
	odd := recursion.Declare(m, "odd", graph.I32(), graph.Bool())
	define := func(f, other *recursion.SubGraph[graph.Value, graph.Value], atZero bool) {
		f.Define(func(n graph.Value) graph.Value {
			return choose(ops.Equal(n, m.Int(0)),
				func() graph.Value { return m.True(atZero) },
				func() graph.Value { return other.Invoke(ops.Sub(n, m.Int(1))) })
		})
	}
	define(even, odd, true)
	define(odd, even, false)
}
