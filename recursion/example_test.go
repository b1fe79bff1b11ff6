package recursion_test

import (
	"context"
	"fmt"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// call builds the module, runs f once and prints the result.
func call[Out, In, I, O any](m *graph.Module, f *recursion.SubGraph[I, O], in In) {
	var out Out
	program, err := m.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := exec.New(program, exec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := exec.Bind[In, Out](session, f)
	if err == nil {
		out, err = run(context.Background(), in)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out)
}

func ExampleIf() {
	m := graph.NewModule("factorial")
	factorial := recursion.Declare(m, "factorial", graph.I32(), graph.I32())
	factorial.Define(func(n graph.Value) graph.Value {
		return recursion.If(ops.Equal(n, m.Int(0)),
			func() graph.Value { return m.Int(1) },
			func() graph.Value { return ops.Mul(n, factorial.Invoke(ops.Sub(n, m.Int(1)))) })
	})
	call[int](m, factorial, 10)
	// Output: 3628800
}

// What happens at a node of an expression is chosen by a number; operands that the
// choice does not need are not evaluated.
func ExampleSwitch() {
	type expression struct{ Op, Left, Right graph.Value }
	m := graph.NewModule("calculator")
	ids := graph.I32(graph.Any)
	eval := recursion.Declare(m, "eval", expression{ids, ids, ids}, graph.I32())
	eval.Define(func(e expression) graph.Value {
		node := recursion.Declare(m, "node", graph.I32(), graph.I32())
		node.Define(func(i graph.Value) graph.Value {
			operand := func(list graph.Value) graph.Value { return node.Invoke(ops.At(list, i)) }
			return recursion.Switch(ops.At(e.Op, i),
				func() graph.Value { return ops.At(e.Left, i) }, // a number
				func() graph.Value { return ops.Add(operand(e.Left), operand(e.Right)) },
				func() graph.Value { return ops.Mul(operand(e.Left), operand(e.Right)) })
		})
		return node.Invoke(ops.Sub(ops.Len(e.Op), m.Int(1)))
	})
	call[int](m, eval, struct{ Op, Left, Right []int }{ // (2 + 3) * 4
		Op:    []int{0, 0, 1, 0, 2},
		Left:  []int{2, 3, 0, 4, 2},
		Right: []int{0, 0, 1, 0, 3},
	})
	// Output: 20
}

func ExampleMap() {
	type lists struct{ X, Y graph.Value }
	m := graph.NewModule("hypotenuses")
	numbers := graph.F32(graph.Any)
	f := recursion.Declare(m, "hypotenuses", lists{numbers, numbers}, numbers)
	f.Define(func(in lists) graph.Value {
		return recursion.Map(in, func(p lists) graph.Value { // p holds an element of each
			return ops.Sqrt(ops.Add(ops.Square(p.X), ops.Square(p.Y)))
		})
	})
	call[[]float32](m, f, struct{ X, Y []float32 }{X: []float32{3, 5, 8}, Y: []float32{4, 12, 15}})
	// Output: [5 13 17]
}

func ExampleFold() {
	m := graph.NewModule("digits")
	value := recursion.Declare(m, "value", graph.I32(graph.Any), graph.I32())
	value.Define(func(digits graph.Value) graph.Value {
		return recursion.Fold(digits, m.Int(0), func(number, digit graph.Value) graph.Value {
			return ops.Add(ops.Mul(number, m.Int(10)), digit)
		})
	})
	call[int](m, value, []int{4, 7, 1, 1})
	// Output: 4711
}

func ExampleLoop() {
	type pair struct{ A, B graph.Value }
	m := graph.NewModule("euclid")
	gcd := recursion.Declare(m, "gcd", pair{graph.I32(), graph.I32()}, graph.I32())
	gcd.Define(func(p pair) graph.Value {
		end := recursion.Loop(p,
			func(p pair) graph.Value { return ops.Greater(p.B, m.Int(0)) },
			func(p pair) pair { return pair{p.B, ops.Mod(p.A, p.B)} })
		return end.A
	})
	call[int](m, gcd, struct{ A, B int }{1071, 462})
	// Output: 21
}

// What is declared may be invoked before it is defined, so recursion may be
// mutual.
func ExampleDeclare() {
	m := graph.NewModule("parity")
	even := recursion.Declare(m, "even", graph.I32(), graph.Bool())
	odd := recursion.Declare(m, "odd", graph.I32(), graph.Bool())
	even.Define(func(n graph.Value) graph.Value {
		return recursion.If(ops.Equal(n, m.Int(0)),
			func() graph.Value { return m.True(true) },
			func() graph.Value { return odd.Invoke(ops.Sub(n, m.Int(1))) })
	})
	odd.Define(func(n graph.Value) graph.Value {
		return recursion.If(ops.Equal(n, m.Int(0)),
			func() graph.Value { return m.True(false) },
			func() graph.Value { return even.Invoke(ops.Sub(n, m.Int(1))) })
	})
	call[bool](m, even, 1001)
	// Output: false
}

// Losses and rows of tables arise wherever the recursion goes; they are no results
// that invocations hand on.
func ExampleCollect() {
	m := graph.NewModule("halves")
	halve := recursion.Declare(m, "halve", graph.F32(), graph.I32())
	halve.Define(func(x graph.Value) graph.Value {
		return recursion.If(ops.Less(x, m.Float(1)), func() graph.Value { return m.Int(0) }, func() graph.Value {
			depth := ops.Add(halve.Invoke(ops.MulScalar(x, 0.5)), m.Int(1))
			recursion.Collect("values", depth, x)
			recursion.Loss(x)
			return depth
		})
	})
	program, err := m.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	session, err := exec.New(program, exec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := session.Run(context.Background(), halve.Graph(), [][]exec.Array{{{F: []float32{6}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	values := r.Tables[0]["values"]
	fmt.Println("keys", values.Keys, "values", values.Values, "loss", r.Loss)
	// Output: keys [1 2 3] values [1.5 3 6] loss 10.5
}
