package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Sparsemax returns the point of the probability simplex that is nearest to x, over
// the last axis (Martins and Astudillo 2016, eq. 2): like softmax, but small
// elements become exactly zero. It is defined for f32 with one axis or more:
// [n d] gives a distribution per row, [? d] one per element of the list and [?]
// one over the list.
//
// With the support S, the elements that are not zero, the gradient is (eq. 12)
// dx[i] = ct[i] - mean of ct over S for i in S, and 0 elsewhere.
func Sparsemax(x graph.Value) graph.Value {
	graph.Helper() // mistakes are reported at the line that called Sparsemax
	return graph.Apply(sparsemaxOp{}, x)
}

// Registry makes the operators of this file from their printed form.
func Registry() map[string]func([]graph.Attr) (graph.Op, error) {
	plain := func(op graph.Op) func([]graph.Attr) (graph.Op, error) {
		return func([]graph.Attr) (graph.Op, error) { return op, nil }
	}
	return map[string]func([]graph.Attr) (graph.Op, error){
		"sparsemax":      plain(sparsemaxOp{}),
		"sparsemax_grad": plain(sparsemaxGradOp{}),
	}
}

type sparsemaxOp struct{}

var (
	_ ops.Op               = sparsemaxOp{}
	_ graph.Differentiable = sparsemaxOp{}
)

// Name implements graph.Op.
func (sparsemaxOp) Name() string { return "sparsemax" }

// Attrs implements graph.Op.
func (sparsemaxOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op: the shape rule.
func (sparsemaxOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if len(in) != 1 {
		return nil, fmt.Errorf("%w: %d inputs, want 1", graph.ErrInvalid, len(in))
	}
	x := in[0]
	if !x.DType.IsFloat() {
		return nil, fmt.Errorf("%w: x %v, want f32", graph.ErrDType, x)
	}
	if x.Rank() == 0 {
		return nil, fmt.Errorf("%w: x %v has no axis, want [.. d]", graph.ErrShape, x)
	}
	return []graph.Type{x}, nil
}

// Gradient implements graph.Differentiable. A rule may combine operators of
// package ops; here one of our own is shorter.
func (sparsemaxOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{graph.Apply(sparsemaxGradOp{}, n.Result(0), ct)}
}

// Lower implements ops.Op: the batching rule.
func (sparsemaxOp) Lower(in []graph.Type, _ graph.Type) ops.Lowering {
	return lowerVectors(in[0], func(p, x, _ []float32) {
		copy(p, x)
		slices.Sort(p)
		tau := threshold(p)
		for i, v := range x {
			p[i] = max(v-tau, 0)
		}
	})
}

// threshold returns what sparsemax subtracts from every element, for elements in
// ascending order (Martins and Astudillo 2016, algorithm 1).
func threshold(sorted []float32) float32 {
	tau, sum := float32(math.NaN()), float32(0)
	for i := range sorted {
		z, k := sorted[len(sorted)-1-i], float32(i+1)
		sum += z
		if 1+k*z <= sum {
			break
		}
		tau = (sum - 1) / k
	}
	return tau
}

// Eval implements ops.Op: the reference semantics. It follows the definition, by
// bisection for the threshold at which the elements above it sum to 1, so that
// kernel and reference do not share their mistakes.
func (sparsemaxOp) Eval(in []*ops.Tensor) (*ops.Tensor, error) {
	z := in[0].Clone()
	d := z.Shape[len(z.Shape)-1]
	for from := 0; from < len(z.F); from += d {
		x := z.F[from : from+d]
		lo, hi := slices.Max(x)-1, slices.Max(x)
		for range 64 {
			tau, sum := (lo+hi)/2, 0.0
			for _, v := range x {
				sum += max(v-tau, 0)
			}
			if sum > 1 {
				lo = tau
			} else {
				hi = tau
			}
		}
		for i, v := range x {
			x[i] = max(v-lo, 0)
		}
	}
	return z, nil
}
