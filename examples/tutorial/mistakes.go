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

// mistakes makes two while building and two while running.
func mistakes(ctx context.Context, w io.Writer) error {
	if _, err := wrongModel().Build(); err != nil {
		fmt.Fprintln(w, err)
	}
	return wrongInputs(ctx, w)
}

// wrongModel has two mistakes; building goes on after the first.
func wrongModel() *graph.Module {
	m := graph.NewModule("wrong")
	w := m.Var("W", graph.F32(8, 16), graph.Xavier())
	g := recursion.Declare(m, "layer", graph.F32(8), graph.F32(8))
	g.Define(func(x graph.Value) graph.Value {
		h := ops.Tanh(ops.MatVec(w, x))
		gate := ops.Sigmoid(ops.Less(x, m.Float(0)))
		return ops.Mul(gate, h)
	})
	return m
}

// wrongInputs runs a good model on trees that are none.
func wrongInputs(ctx context.Context, w io.Writer) error {
	m := graph.NewModule("tutorial")
	model := newModel(m, 10, size, 10)
	program, err := m.Build()
	if err != nil {
		return err
	}
	session, err := exec.New(program, exec.Options{MaxDepth: 1000})
	if err != nil {
		return err
	}
	defer session.Close()
	evaluate, err := exec.Bind[tree, []float32](session, model)
	if err != nil {
		return err
	}
	_, err = evaluate(ctx, tree{Word: []int32{3, 10, 0}, Left: []int32{-1, -1, 0}, Right: []int32{-1, -1, 1}, Label: []int32{1, 2, 3}})
	fmt.Fprintln(w, err)
	_, err = evaluate(ctx, tree{Word: []int32{3, 1, 0}, Left: []int32{-1, -1, 2}, Right: []int32{-1, -1, 1}, Label: []int32{1, 2, 3}})
	fmt.Fprintln(w, err)
	return nil
}
