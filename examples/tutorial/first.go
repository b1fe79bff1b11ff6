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

// first builds a program without recursion and runs it.
func first(ctx context.Context, w io.Writer) error {
	m := graph.NewModule("first")
	length := recursion.Declare(m, "length", graph.F32(3), graph.F32())
	length.Define(func(x graph.Value) graph.Value {
		return ops.Sqrt(ops.Sum(ops.Square(x)))
	})

	program, err := m.Build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{})
	if err != nil {
		return err
	}
	defer session.Close()
	run, err := exec.Bind[[]float32, float32](session, length)
	if err != nil {
		return err
	}
	y, err := run(ctx, []float32{2, 3, 6})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "length:", y)
	return nil
}
