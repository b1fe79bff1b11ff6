package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type spanOp struct{}

// Span returns the elements from, ..., to-1 of a list: x [? ...] -> [? ...]. It
// copies no elements. Unless 0 <= from <= to <= Len(x), running the program
// gives an error that wraps ErrIndex. Gradient: dx is ct in the span, zeros
// around it.
func Span(x, from, to graph.Value) graph.Value { return apply(spanOp{}, x, from, to) }

// Name implements graph.Op.
func (spanOp) Name() string { return "span" }

// Attrs implements graph.Op.
func (spanOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (spanOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 3); err != nil {
		return nil, err
	}
	if err := wantList("x", in[0]); err != nil {
		return nil, err
	}
	if err := wantIndex("from", in[1]); err != nil {
		return nil, err
	}
	if err := wantIndex("to", in[2]); err != nil {
		return nil, err
	}
	return in[:1], nil
}

// Gradient implements graph.Differentiable.
func (spanOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	x, from, to := n.In[0], n.In[1], n.In[2]
	before := ZerosLike(Span(x, x.Module().Int(0), from))
	after := ZerosLike(Span(x, to, Len(x)))
	return []graph.Value{Join(before, ct, after), {}, {}}
}

// Lower implements Op.
func (spanOp) Lower([]graph.Type, graph.Type) Lowering {
	return Lowering{Names: func(w *Words) error {
		for i, handle := range w.In[0] {
			from, to := int(w.In[1][i]), int(w.In[2][i])
			if err := checkSpan(from, to, len(w.Lists.Get(handle))); err != nil {
				return &RowError{i, err}
			}
			out, elems := w.Lists.New(to - from)
			copy(elems, w.Lists.Get(handle)[from:to])
			w.Out[i] = out
		}
		return nil
	}}
}

// Eval implements Op.
func (spanOp) Eval(in []*Tensor) (*Tensor, error) {
	x, from, to := in[0], int(in[1].I[0]), int(in[2].I[0])
	if err := checkSpan(from, to, x.Shape[0]); err != nil {
		return nil, err
	}
	return x.firstAxis(from, to), nil
}

func checkSpan(from, to, n int) error {
	if from < 0 || to < from || n < to {
		return fmt.Errorf("%w: span %d:%d, %d elements", ErrIndex, from, to, n)
	}
	return nil
}

var _ graph.Differentiable = spanOp{}
