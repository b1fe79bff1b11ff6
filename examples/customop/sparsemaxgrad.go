package main

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// sparsemaxGradOp computes the cotangent of what sparsemax was applied to from its
// result and the cotangent of that. It has no gradient rule, because adjoints are
// not differentiated again.
type sparsemaxGradOp struct{}

var _ ops.Op = sparsemaxGradOp{}

// Name implements graph.Op.
func (sparsemaxGradOp) Name() string { return "sparsemax_grad" }

// Attrs implements graph.Op.
func (sparsemaxGradOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (sparsemaxGradOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if len(in) != 2 {
		return nil, fmt.Errorf("%w: %d inputs, want 2", graph.ErrInvalid, len(in))
	}
	if !in[0].Equal(in[1]) {
		return nil, fmt.Errorf("%w: p %v and ct %v", graph.ErrShape, in[0], in[1])
	}
	return sparsemaxOp{}.Infer(in[:1])
}

// Lower implements ops.Op.
func (sparsemaxGradOp) Lower(in []graph.Type, _ graph.Type) ops.Lowering {
	return lowerVectors(in[0], func(dx, p, ct []float32) {
		sum, support := float32(0), float32(0)
		for i, v := range p {
			if v > 0 {
				sum += ct[i]
				support++
			}
		}
		for i, v := range p {
			dx[i] = 0
			if v > 0 {
				dx[i] = ct[i] - sum/support
			}
		}
	})
}

// Eval implements ops.Op: the product of the cotangent with the Jacobian
// Diag(s) - s·sᵀ/|S|, where s is 1 in the support S and 0 elsewhere.
func (sparsemaxGradOp) Eval(in []*ops.Tensor) (*ops.Tensor, error) {
	p, ct := in[0], in[1]
	dx := ops.NewTensor(p.DType, p.Shape...)
	d := p.Shape[len(p.Shape)-1]
	for from := 0; from < len(p.F); from += d {
		support := 0.0
		for _, v := range p.F[from : from+d] {
			if v > 0 {
				support++
			}
		}
		for i := from; i < from+d; i++ {
			for j := from; j < from+d; j++ {
				if p.F[i] == 0 || p.F[j] == 0 {
					continue
				}
				jacobian := -1 / support
				if i == j {
					jacobian++
				}
				dx.F[i] += jacobian * ct.F[j]
			}
		}
	}
	return dx, nil
}
