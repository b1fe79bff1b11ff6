package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// normalizeGradOp computes, for x with result y of normalize and its cotangent g,
// the cotangent of x: (g - mean(g) - y*mean(g*y)) / deviation(x).
type normalizeGradOp struct{ eps float64 }

// Name implements graph.Op.
func (normalizeGradOp) Name() string { return "normalize_grad" }

// Attrs implements graph.Op.
func (o normalizeGradOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "eps", Value: o.eps}} }

// Infer implements graph.Op.
func (o normalizeGradOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 2); err != nil {
		return nil, err
	}
	if !in[0].Equal(in[1]) {
		return nil, fmt.Errorf("%w: x %v, ct %v: want one type", graph.ErrShape, in[0], in[1])
	}
	return normalizeOp(o).Infer(in[:1])
}

// Lower implements Op.
func (o normalizeGradOp) Lower(_ []graph.Type, out graph.Type) Lowering {
	rows, k := vectors(out)
	eps := float32(o.eps)
	return Lowering{Rows: func(b *Batch) error {
		for i := range b.N {
			x, g, z := b.In[0].Row(i, rows*k), b.In[1].Row(i, rows*k), b.Out.Row(i, rows*k)
			for from := 0; from < rows*k; from += k {
				standardiseGrad(z[from:from+k], x[from:from+k], g[from:from+k], eps)
			}
		}
		return nil
	}}
}

func standardiseGrad(dst, x, g []float32, eps float32) {
	_, inverse := kernel.LayerNorm(dst, x, nil, nil, eps)
	n := float32(len(x))
	shift, slope := kernel.Sum(g)/n, kernel.Dot(g, dst)/n
	for i, y := range dst {
		dst[i] = inverse * (g[i] - shift - y*slope)
	}
}

// Eval implements Op.
func (o normalizeGradOp) Eval(in []*Tensor) (*Tensor, error) {
	z := in[0].Clone()
	k := z.Shape[len(z.Shape)-1]
	for from := 0; from < len(z.F); from += k {
		y, g := z.F[from:from+k], in[1].F[from:from+k]
		inverse := evalStandardise(y, o.eps)
		shift, slope := 0.0, 0.0
		for i := range y {
			shift += g[i] / float64(k)
			slope += g[i] * y[i] / float64(k)
		}
		for i := range y {
			y[i] = inverse * (g[i] - shift - y[i]*slope)
		}
	}
	return z, nil
}

var _ Op = normalizeGradOp{}
