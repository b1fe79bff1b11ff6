package ops

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

type joinOp struct{}

// Join returns one list of the elements of lists of one type, in order:
// [? h], [? h] -> [? h]. It copies no elements. Gradient: each list gets its
// span of ct.
func Join(lists ...graph.Value) graph.Value { return apply(joinOp{}, lists...) }

// Name implements graph.Op.
func (joinOp) Name() string { return "join" }

// Attrs implements graph.Op.
func (joinOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (joinOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if len(in) == 0 {
		return nil, fmt.Errorf("%w: no inputs, want one list at least", graph.ErrInvalid)
	}
	for i, t := range in {
		if err := wantList(fmt.Sprintf("input %d is", i), t); err != nil {
			return nil, err
		}
		if err := wantSame(in[0], i, t); err != nil {
			return nil, err
		}
	}
	return in[:1], nil
}

// Gradient implements graph.Differentiable.
func (joinOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	into := make([]graph.Value, len(n.In))
	from := ct.Module().Int(0)
	for i, x := range n.In {
		to := Add(from, Len(x))
		into[i] = Span(ct, from, to)
		from = to
	}
	return into
}

// Lower implements Op.
func (joinOp) Lower([]graph.Type, graph.Type) Lowering {
	return Lowering{Names: func(w *Words) error {
		for i := range w.N {
			n := 0
			for _, handles := range w.In {
				n += len(w.Lists.Get(handles[i]))
			}
			out, elems := w.Lists.New(n)
			for _, handles := range w.In {
				elems = elems[copy(elems, w.Lists.Get(handles[i])):]
			}
			w.Out[i] = out
		}
		return nil
	}}
}

// Eval implements Op.
func (joinOp) Eval(in []*Tensor) (*Tensor, error) {
	x := &Tensor{DType: in[0].DType, Shape: append([]int{0}, in[0].Shape[1:]...)}
	for _, list := range in {
		x.Shape[0] += list.Shape[0]
		x.F = append(x.F, list.F...)
		x.I = append(x.I, list.I...)
	}
	return x, nil
}

var _ graph.Differentiable = joinOp{}
