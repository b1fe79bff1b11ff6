package main

import (
	"context"
	"fmt"
	"io"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// fibonacci is the smallest graph that invokes itself.
func fibonacci(m *graph.Module) *recursion.SubGraph[graph.Value, graph.Value] {
	fib := recursion.Declare(m, "fib", graph.I32(), graph.I32())
	return fib.Define(func(n graph.Value) graph.Value {
		return recursion.If(ops.Less(n, m.Int(2)), func() graph.Value {
			return n
		}, func() graph.Value {
			a := fib.Invoke(ops.Sub(n, m.Int(1)))
			b := fib.Invoke(ops.Sub(n, m.Int(2)))
			return ops.Add(a, b)
		})
	})
}

// count runs fibonacci and tells how much was executed together.
func count(ctx context.Context, w io.Writer) error {
	m := graph.NewModule("count")
	fib := fibonacci(m)
	program, err := m.Build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{Workers: 1})
	if err != nil {
		return err
	}
	defer session.Close()
	run, err := exec.Bind[int, int](session, fib)
	if err != nil {
		return err
	}
	n, err := run(ctx, 18)
	if err != nil {
		return err
	}
	stats := session.Stats()
	fmt.Fprintf(w, "fib(18) = %d: %d invocations in %d batches\n", n, stats.Calls, stats.Batches)
	return nil
}
