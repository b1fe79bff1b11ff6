package exec_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// A phrase is encoded by its structure: words have vectors, and the vector of two
// parts follows from theirs.
func Example() {
	type tree struct{ Word, Left, Right graph.Value }
	m := graph.NewModule("phrases")
	words := m.Var("E", graph.F32(3, 2), graph.Uniform(1))
	weights := m.Var("W", graph.F32(2, 4), graph.Xavier())
	ids, vector := graph.I32(graph.Any), graph.F32(2)

	encode := recursion.Declare(m, "encode", tree{ids, ids, ids}, vector)
	encode.Define(func(t tree) graph.Value {
		subtree := recursion.Declare(m, "subtree", graph.I32(), vector)
		subtree.Define(func(i graph.Value) graph.Value {
			left, right := ops.At(t.Left, i), ops.At(t.Right, i)
			return recursion.If(ops.Less(left, m.Int(0)), func() graph.Value {
				return ops.At(words, ops.At(t.Word, i))
			}, func() graph.Value {
				parts := ops.Concat(subtree.Invoke(left), subtree.Invoke(right))
				return ops.Tanh(ops.MatVec(weights, parts))
			})
		})
		return subtree.Invoke(ops.Sub(ops.Len(t.Word), m.Int(1)))
	})

	program, err := m.Build()
	if err != nil {
		fmt.Println(err) // every mistake, with its position
		return
	}
	session, err := exec.New(program, exec.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	type Tree struct{ Word, Left, Right []int }
	run, err := exec.Bind[Tree, []float32](session, encode)
	if err != nil {
		fmt.Println(err)
		return
	}
	vec, err := run(context.Background(), Tree{ // ((0 1) 2)
		Word:  []int{0, 1, -1, 2, -1},
		Left:  []int{-1, -1, 0, -1, 2},
		Right: []int{-1, -1, 1, -1, 3},
	})
	fmt.Printf("%.3f %v\n", vec, err)
	// Output: [-0.050 0.043] <nil>
}

// Many inputs are executed together, however different their recursions are.
func ExampleBindBatch() {
	m := graph.NewModule("fibonacci")
	fib := recursion.Declare(m, "fib", graph.I32(), graph.I32())
	fib.Define(func(n graph.Value) graph.Value {
		return recursion.If(ops.Less(n, m.Int(2)), func() graph.Value { return n }, func() graph.Value {
			return ops.Add(fib.Invoke(ops.Sub(n, m.Int(1))), fib.Invoke(ops.Sub(n, m.Int(2))))
		})
	})
	session, err := newSession(m, exec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := exec.BindBatch[int, int](session, fib)
	if err != nil {
		fmt.Println(err)
		return
	}
	numbers, err := run(context.Background(), []int{1, 10, 20})
	fmt.Println(numbers, err)
	// Output: [1 55 6765] <nil>
}

// newSession builds a module and makes a session for the program.
func newSession(m *graph.Module, o exec.Options) (*exec.Session, error) {
	program, err := m.Build()
	if err != nil {
		return nil, err
	}
	return exec.New(program, o)
}

// The derivative of a recursive function by its argument, and by a variable that
// every invocation uses.
func ExampleSession_Gradients() {
	type args struct{ X, N graph.Value }
	m := graph.NewModule("polynomial")
	c := m.Var("c", graph.F32(), graph.Constant(1))
	p := recursion.Declare(m, "p", args{graph.F32(), graph.I32()}, graph.F32()) // c xⁿ + ... + c x + c
	p.Define(func(a args) graph.Value {
		return recursion.If(ops.Equal(a.N, m.Int(0)), func() graph.Value { return c }, func() graph.Value {
			lower := p.Invoke(args{a.X, ops.Sub(a.N, m.Int(1))})
			return ops.Add(ops.Mul(a.X, lower), c)
		})
	})
	main := recursion.Declare(m, "main", args{graph.F32(), graph.I32()}, graph.F32())
	main.Define(func(a args) graph.Value {
		y := p.Invoke(a)
		recursion.Loss(y)
		return y
	})
	session, err := newSession(m, exec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	inputs := [][]exec.Array{{{F: []float32{2}}, {I: []int32{3}}}}
	r, err := session.Gradients(context.Background(), main.Graph(), inputs, exec.GradOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("p(2)     =", r.Loss)
	fmt.Println("dp/dx(2) =", r.InputGrads[0][0].F[0])
	r.Gradients.Each(func(g *exec.Gradient) {
		fmt.Printf("dp/d%s(2) = %v\n", g.Variable.Name, g.Full()[0])
	})
	// Output:
	// p(2)     = 15
	// dp/dx(2) = 17
	// dp/dc(2) = 15
}

// Errors of a running program say where the operator was applied and which
// invocations led there.
func ExampleRunError() {
	m := graph.NewModule("countdown")
	table := m.Ints([]int32{10, 20, 30}, 3)
	down := recursion.Declare(m, "down", graph.I32(), graph.I32())
	down.Define(func(n graph.Value) graph.Value {
		return recursion.If(ops.Equal(n, m.Int(0)), func() graph.Value { return m.Int(0) }, func() graph.Value {
			return ops.Add(ops.At(table, n), down.Invoke(ops.Sub(n, m.Int(1))))
		})
	})
	session, err := newSession(m, exec.Options{MaxDepth: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := exec.Bind[int, int](session, down)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []int{2, 3, -1} {
		sum, err := run(context.Background(), n)
		switch {
		case errors.Is(err, exec.ErrDepth):
			fmt.Println("no end?", err)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(sum)
		}
	}
	// Output:
	// 50
	// input 0: down -> down.else: at (example_test.go:145): index out of range: index 3, 3 elements
	// no end? input 0: down x1000 -> down.else: recursion too deep: more than 1000 calls on one path
}
