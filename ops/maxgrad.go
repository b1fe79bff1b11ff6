package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// maxGradOp computes, for x, its maximum y along axes, and the cotangent ct of
// y, the cotangent of x: ct where x is y for the first time, else 0.
type maxGradOp struct{ axes axisSet }

// Name implements graph.Op.
func (maxGradOp) Name() string { return "max_grad" }

// Attrs implements graph.Op.
func (o maxGradOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "axes", Value: o.axes.list()}} }

// Infer implements graph.Op.
func (o maxGradOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 3); err != nil {
		return nil, err
	}
	if err := wantFloat(in...); err != nil {
		return nil, err
	}
	y, err := maxOp(o).Infer(in[:1])
	if err != nil {
		return nil, err
	}
	if !in[1].Equal(y[0]) || !in[2].Equal(y[0]) {
		return nil, fmt.Errorf("%w: y %v, ct %v: want %v", graph.ErrShape, in[1], in[2], y[0])
	}
	return in[:1], nil
}

// Lower implements Op.
func (o maxGradOp) Lower(in []graph.Type, _ graph.Type) Lowering {
	a, list := alignReduced(in[0], o.axes)
	if list {
		return Lowering{Segments: maxGradKernel(a, segment)}
	}
	return Lowering{Rows: maxGradKernel(a, single)}
}

func maxGradKernel(a *alignment, rows rowsOfFrame) func(*Batch) error {
	n := a.in[0].size
	return func(b *Batch) error {
		rest := b.Tmp.Floats(n)
		for i := range b.N {
			copy(rest, b.In[2].Row(i, n))
			y := b.In[1].Row(i, n)
			from, to := rows(b, i)
			for j := from; j < to; j++ {
				handOut(a, b.Out.Row(j, a.size), b.In[0].Row(j, a.size), y, rest)
			}
		}
		return nil
	}
}

// handOut moves what rest holds for an element of y to the first element of x
// that equals it.
func handOut(a *alignment, dst, x, y, rest []float32) {
	o := &a.in[0]
	for r, s := range o.starts {
		for k := r * a.run; k < (r+1)*a.run; k++ {
			dst[k] = 0
			if v := x[k]; v == y[s] || v != v && y[s] != y[s] {
				dst[k], rest[s] = rest[s], 0
			}
			s += o.step
		}
	}
}

// Eval implements Op.
func (o maxGradOp) Eval(in []*Tensor) (*Tensor, error) {
	x, z := in[0], NewTensor(in[0].DType, in[0].Shape...)
	y := &Tensor{Shape: o.axes.ones(x.Shape), F: in[1].F}
	taken := make([]bool, len(y.F))
	i := 0
	positions(x.Shape, func(at []int) {
		j := y.index(at)
		if !taken[j] && (x.F[i] == y.F[j] || x.F[i] != x.F[i]) {
			z.F[i], taken[j] = in[2].F[j], true
		}
		i++
	})
	return z, nil
}

var _ Op = maxGradOp{}
