package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

type oneHotOp struct{ n int }

// OneHot returns vectors of n zeros with a 1 at index i: i [] -> [n], [k] ->
// [k n], [?] -> [? n]. An index outside of 0..n-1 is an error of the run that
// wraps ErrIndex. No gradient flows to i.
func OneHot(i graph.Value, n int) graph.Value { return apply(oneHotOp{n}, i) }

// Name implements graph.Op.
func (oneHotOp) Name() string { return "one_hot" }

// Attrs implements graph.Op.
func (o oneHotOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "n", Value: o.n}} }

// Infer implements graph.Op.
func (o oneHotOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 1); err != nil {
		return nil, err
	}
	if in[0].DType != graph.Int32 {
		return nil, fmt.Errorf("%w: i %v, want i32", graph.ErrDType, in[0])
	}
	if o.n < 1 {
		return nil, fmt.Errorf("%w: n is %d, want 1 or more", graph.ErrShape, o.n)
	}
	return []graph.Type{{DType: graph.Float32, Shape: append(slices.Clone(in[0].Shape), o.n)}}, nil
}

// Lower implements Op.
func (o oneHotOp) Lower(in []graph.Type, _ graph.Type) Lowering {
	rows, n := rowType(in[0]).Size(), o.n
	return Lowering{Rows: func(b *Batch) error {
		for i := range b.N {
			z := b.Out.Row(i, rows*n)
			clear(z)
			for j, at := range b.In[0].Ints(i, rows) {
				if at < 0 || int(at) >= n {
					return indexError(i, at, n)
				}
				z[j*n+int(at)] = 1
			}
		}
		return nil
	}}
}

// Eval implements Op.
func (o oneHotOp) Eval(in []*Tensor) (*Tensor, error) {
	z := NewTensor(graph.Float32, append(slices.Clone(in[0].Shape), o.n)...)
	for j, at := range in[0].I {
		if at < 0 || int(at) >= o.n {
			return nil, outOfRange(int(at), o.n)
		}
		z.F[j*o.n+int(at)] = 1
	}
	return z, nil
}

var _ Op = oneHotOp{}
