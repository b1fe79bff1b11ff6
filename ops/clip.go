package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type clipOp struct{ lo, hi float64 }

// Clip limits x to [lo, hi], element-wise, of f32; NaN stays NaN. Gradient:
// dx = ct where lo <= x <= hi, else 0.
func Clip(x graph.Value, lo, hi float64) graph.Value { return apply(clipOp{lo, hi}, x) }

// Name implements graph.Op.
func (clipOp) Name() string { return "clip" }

// Attrs implements graph.Op.
func (o clipOp) Attrs() []graph.Attr {
	return []graph.Attr{{Key: "lo", Value: o.lo}, {Key: "hi", Value: o.hi}}
}

// Infer implements graph.Op.
func (o clipOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if !(o.lo <= o.hi) {
		return nil, fmt.Errorf("%w: limits %v and %v are not in order", graph.ErrInvalid, o.lo, o.hi)
	}
	return inferFloatMap(in)
}

// Gradient implements graph.Differentiable.
func (o clipOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	m, x := ct.Module(), n.In[0]
	below := Where(LessEqual(x, m.Float(o.hi)), ct, m.Float(0)) // two masks that nothing combines stay on a device
	return []graph.Value{Where(GreaterEqual(x, m.Float(o.lo)), below, m.Float(0))}
}

// Lower implements Op.
func (o clipOp) Lower(_ []graph.Type, out graph.Type) Lowering {
	lo, hi := float32(o.lo), float32(o.hi)
	return lowerFloatMap(out, func(dst, x []float32) {
		for i, v := range x {
			dst[i] = min(max(v, lo), hi)
		}
	})
}

// Eval implements Op.
func (o clipOp) Eval(in []*Tensor) (*Tensor, error) {
	return evalFloatMap(in[0], func(x float64) float64 { return min(max(x, o.lo), o.hi) }), nil
}

var _ graph.Differentiable = clipOp{}
