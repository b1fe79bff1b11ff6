package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// ScatterAtOp is the operator of [ScatterAt]. N is the first extent of the
// result, or graph.Any when a third input gives the shape of a list.
type ScatterAtOp struct{ N int }

// ScatterAt returns zeros of the type of like, to whose rows i those of ct are
// added, so that rows with equal indices add up. Of like only the shape matters.
// It is the inverse of [At]: ct has the type of At(like, i), and an index out of
// range is an error that wraps ErrIndex. Gradient: dct = At(ct', i).
//
//	ct [...],   i [],  like [n ...] -> [n ...]
//	ct [k ...], i [k], like [n ...] -> [n ...]
//	ct [? ...], i [?], like [n ...] -> [n ...]   summed over the list
//	ct [...],   i [],  like [? ...] -> [? ...]
//	ct [k ...], i [k], like [? ...] -> [? ...]
//	ct [? ...], i [?], like [? ...] -> [? ...]
//
// The last form has no batching rule: it occurs only in the gradient of picking
// elements of a list by name, which executors have no need to compute.
func ScatterAt(ct, i, like graph.Value) graph.Value {
	t := like.Type()
	if t.Rank() > 0 && !t.IsList() {
		return apply(ScatterAtOp{N: t.Shape[0]}, ct, i)
	}
	return apply(ScatterAtOp{N: graph.Any}, ct, i, like)
}

// Name implements graph.Op.
func (ScatterAtOp) Name() string { return "scatter_at" }

// Attrs implements graph.Op.
func (o ScatterAtOp) Attrs() []graph.Attr { return []graph.Attr{{Key: "n", Value: o.N}} }

// Infer implements graph.Op.
func (o ScatterAtOp) Infer(in []graph.Type) ([]graph.Type, error) {
	inputs := 2
	if o.N == graph.Any {
		inputs = 3
	}
	if err := wantInputs(in, inputs); err != nil {
		return nil, err
	}
	ct, i := in[0], in[1]
	if err := wantFloat(ct); err != nil {
		return nil, err
	}
	if i.DType != graph.Int32 {
		return nil, fmt.Errorf("%w: i %v: want i32", graph.ErrDType, i)
	}
	rest, ok := restOf(ct.Shape, i.Shape)
	if !ok {
		return nil, fmt.Errorf("%w: ct %v, i %v: want the extents of ct to begin with those of i", graph.ErrShape, ct, i)
	}
	out := graph.Type{DType: ct.DType, Shape: slices.Concat(graph.Shape{o.N}, rest)}
	if o.N == graph.Any {
		if err := wantList("like", in[2]); err != nil {
			return nil, err
		}
		if !in[2].Equal(out) {
			return nil, fmt.Errorf("%w: ct %v, i %v, like %v: want like %v", graph.ErrShape, ct, i, in[2], out)
		}
	} else if o.N < 0 {
		return nil, fmt.Errorf("%w: %d rows", graph.ErrShape, o.N)
	}
	return []graph.Type{out}, nil
}

// restOf returns what follows prefix in s.
func restOf(s, prefix graph.Shape) (graph.Shape, bool) {
	if len(s) < len(prefix) || !s[:len(prefix)].Equal(prefix) {
		return nil, false
	}
	return s[len(prefix):], true
}

// Gradient implements graph.Differentiable.
func (o ScatterAtOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	into := make([]graph.Value, len(n.In))
	into[0] = At(ct, n.In[1])
	return into
}

// Lower implements Op.
func (o ScatterAtOp) Lower(in []graph.Type, out graph.Type) Lowering {
	s := scatter{rows: o.N, indices: rowType(in[1]).Size(), size: out.Elem().Size()}
	switch list := in[1].IsList(); {
	case out.IsList() && list:
		return Lowering{}
	case out.IsList():
		return Lowering{Segments: s.intoLists}
	case list:
		return Lowering{Segments: s.fromLists}
	}
	return Lowering{Rows: s.intoRows}
}

// scatter adds parts of rows to indexed places.
type scatter struct {
	rows    int // elements along the first axis of a result that is no list
	indices int // indices in a row of i
	size    int // numbers in an element of the result
}

// intoRows scatters every row of ct into a row of the result.
func (s scatter) intoRows(b *Batch) error {
	for r := range b.N {
		out := b.Out.Row(r, s.rows*s.size)
		clear(out)
		if err := s.add(b, r, r, out); err != nil {
			return err
		}
	}
	return nil
}

// fromLists scatters all rows of a frame's lists into one row of the result.
func (s scatter) fromLists(b *Batch) error {
	for f := range b.N {
		out := b.Out.Row(f, s.rows*s.size)
		clear(out)
		for r := b.Seg[f]; r < b.Seg[f+1]; r++ {
			if err := s.add(b, f, int(r), out); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds row r of ct to the row out, for frame f.
func (s scatter) add(b *Batch, f, r int, out []float32) error {
	ct := b.In[0].Row(r, s.indices*s.size)
	for k, i := range b.In[1].Ints(r, s.indices) {
		if uint(i) >= uint(s.rows) {
			return indexError(f, i, s.rows)
		}
		kernel.AddTo(out[int(i)*s.size:][:s.size], ct[k*s.size:][:s.size])
	}
	return nil
}

// intoLists scatters the row of ct of every frame into the rows of its list.
func (s scatter) intoLists(b *Batch) error {
	for f := range b.N {
		from, n := int(b.Seg[f]), int(b.Seg[f+1]-b.Seg[f])
		for r := range n {
			clear(b.Out.Row(from+r, s.size))
		}
		ct := b.In[0].Row(f, s.indices*s.size)
		for k, i := range b.In[1].Ints(f, s.indices) {
			if uint(i) >= uint(n) {
				return indexError(f, i, n)
			}
			kernel.AddTo(b.Out.Row(from+int(i), s.size), ct[k*s.size:][:s.size])
		}
	}
	return nil
}

// Eval implements Op.
func (o ScatterAtOp) Eval(in []*Tensor) (*Tensor, error) {
	ct, i := in[0], in[1]
	rows := o.N
	if rows == graph.Any {
		rows = in[2].Shape[0]
	}
	rest := ct.Shape[len(i.Shape):]
	out := NewTensor(ct.DType, slices.Concat([]int{rows}, rest)...)
	if !slices.Equal(ct.Shape[:len(i.Shape)], i.Shape) {
		return nil, fmt.Errorf("%w: ct %v, i %v", ErrLength, ct.Type(), i.Type())
	}
	n := size(rest)
	for k, index := range i.I {
		if index < 0 || int(index) >= rows {
			return nil, outOfRange(int(index), rows)
		}
		for j := range n {
			out.F[int(index)*n+j] += ct.F[k*n+j]
		}
	}
	return out, nil
}

var _ graph.Differentiable = ScatterAtOp{}
