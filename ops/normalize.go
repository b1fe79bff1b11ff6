package ops

import (
	"fmt"
	"math"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// normalizeOp brings the last axis to mean 0 and variance 1.
type normalizeOp struct{ eps float64 }

// LayerNorm returns gain*(x-mean)/sqrt(variance+eps) + bias, with mean and
// variance taken over the last axis (Ba et al. 2016): x [.. d], gain [d], bias
// [d] -> [.. d]; also for every element of lists. The gradient reaches all
// three.
func LayerNorm(x, gain, bias graph.Value, eps float64) graph.Value {
	if !sameLast("layer_norm", x, gain) || !sameLast("layer_norm", x, bias) {
		return graph.Poisoned()
	}
	return Add(Mul(apply(normalizeOp{eps}, x), gain), bias)
}

// Name implements graph.Op.
func (normalizeOp) Name() string { return "normalize" }

// Attrs implements graph.Op.
func (o normalizeOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "eps", Value: o.eps}} }

// Infer implements graph.Op.
func (o normalizeOp) Infer(in []graph.Type) ([]graph.Type, error) {
	out, err := inferFloatMap(in)
	if err != nil {
		return nil, err
	}
	if len(rowType(in[0]).Shape) == 0 {
		return nil, fmt.Errorf("%w: x %v, want [.. d]", graph.ErrShape, in[0])
	}
	if !(o.eps >= 0) {
		return nil, fmt.Errorf("%w: eps %v is negative", graph.ErrInvalid, o.eps)
	}
	return out, nil
}

// Gradient implements graph.Differentiable.
func (o normalizeOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{apply(normalizeGradOp(o), n.In[0], ct)}
}

// Lower implements Op.
func (o normalizeOp) Lower(_ []graph.Type, out graph.Type) Lowering {
	rows, k := vectors(out)
	eps := float32(o.eps)
	return Lowering{Rows: func(b *Batch) error {
		for i := range b.N {
			x, z := b.In[0].Row(i, rows*k), b.Out.Row(i, rows*k)
			for j := range rows {
				kernel.LayerNorm(z[j*k:][:k], x[j*k:][:k], nil, nil, eps)
			}
		}
		return nil
	}}
}

// vectors returns how many vectors along the last axis a row holds and their length.
func vectors(t graph.Type) (rows, k int) {
	s := rowType(t).Shape
	return s[:len(s)-1].Size(), s[len(s)-1]
}

// Eval implements Op.
func (o normalizeOp) Eval(in []*Tensor) (*Tensor, error) {
	z := in[0].Clone()
	k := z.Shape[len(z.Shape)-1]
	for from := 0; from < len(z.F); from += k {
		evalStandardise(z.F[from:from+k], o.eps)
	}
	return z, nil
}

// evalStandardise brings x to mean 0 and variance 1 and returns 1/deviation.
func evalStandardise(x []float64, eps float64) float64 {
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	inverse := 1 / math.Sqrt(variance+eps)
	for i, v := range x {
		x[i] = (v - mean) * inverse
	}
	return inverse
}

var _ graph.Differentiable = normalizeOp{}
