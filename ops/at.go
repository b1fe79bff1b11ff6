package ops

import (
	"fmt"
	"slices"

	"github.com/frondml/frond/graph"
)

// AtOp is the operator of [At].
type AtOp struct{}

// At picks elements of x along its first axis. The indices i are i32; an index
// below 0 or beyond the last element is an error that wraps ErrIndex when the
// program runs.
//
//	x [n ...], i []  -> [...]     a row of a table
//	x [n ...], i [k] -> [k ...]
//	x [n ...], i [?] -> [? ...]   for every element of i
//	x [? ...], i []  -> [...]     an element of a list, not copied
//	x [? ...], i [k] -> [k ...]
//	x [? ...], i [?] -> [? ...]   elements of a list, not copied
//
// Gradient: dx is zero but for the rows i, to which the rows of ct are added; a
// row that was picked twice gets both.
func At(x, i graph.Value) graph.Value { return apply(AtOp{}, x, i) }

// Name implements graph.Op.
func (AtOp) Name() string { return "at" }

// Attrs implements graph.Op.
func (AtOp) Attrs() []graph.Attr { return nil }

// Infer implements graph.Op.
func (AtOp) Infer(in []graph.Type) ([]graph.Type, error) {
	if err := wantInputs(in, 2); err != nil {
		return nil, err
	}
	x, i := in[0], in[1]
	switch {
	case x.IsScalar():
		return nil, fmt.Errorf("%w: x %v has no first axis: want x [n ...] or [? ...]", graph.ErrShape, x)
	case i.DType != graph.Int32:
		return nil, fmt.Errorf("%w: i %v: want i32", graph.ErrDType, i)
	case x.IsList() && i.IsList() && i.Rank() > 1:
		return nil, fmt.Errorf("%w: x %v, i %v: want i i32, i32[k] or i32[?] for a list", graph.ErrShape, x, i)
	}
	return []graph.Type{{DType: x.DType, Shape: slices.Concat(i.Shape, x.Shape[1:])}}, nil
}

// Gradient implements graph.Differentiable.
func (AtOp) Gradient(n *graph.Node, ct graph.Value) []graph.Value {
	return []graph.Value{ScatterAt(ct, n.In[1], n.In[0]), {}}
}

// Lower implements Op.
func (AtOp) Lower(in []graph.Type, out graph.Type) Lowering {
	x, i := in[0], in[1]
	switch {
	case x.IsList() && i.IsScalar():
		return Lowering{Names: nameAt}
	case x.IsList() && i.IsList():
		return Lowering{Names: namesAt}
	}
	p := pick{rows: x.Shape[0], indices: rowType(i).Size(), size: x.Elem().Size()}
	run := p.kernelInts
	if out.DType.IsFloat() {
		run = p.kernelFloats
	}
	if x.IsList() {
		return Lowering{Segments: run}
	}
	return Lowering{Rows: run}
}

// nameAt picks one element of each list.
func nameAt(w *Words) error {
	for f, handle := range w.In[0] {
		elems, i := w.Lists.Get(handle), w.In[1][f]
		if uint(i) >= uint(len(elems)) {
			return indexError(f, i, len(elems))
		}
		w.Out[f] = elems[i]
	}
	return nil
}

// namesAt makes a list of the picked elements of each list.
func namesAt(w *Words) error {
	for f, handle := range w.In[0] {
		out, picked := w.Lists.New(len(w.Lists.Get(w.In[1][f])))
		elems, indices := w.Lists.Get(handle), w.Lists.Get(w.In[1][f])
		for k := range picked {
			i := indices[k]
			if uint(i) >= uint(len(elems)) {
				return indexError(f, i, len(elems))
			}
			picked[k] = elems[i]
		}
		w.Out[f] = out
	}
	return nil
}

// pick copies indexed parts of rows.
type pick struct {
	rows    int // elements along the first axis of x, graph.Any when x is a list
	indices int // indices in a row of i
	size    int // numbers in an element of x
}

func (p pick) kernelFloats(b *Batch) error { return pickRows(p, b, b.Out.F, b.In[0].F) }

func (p pick) kernelInts(b *Batch) error { return pickRows(p, b, b.Out.I, b.In[0].I) }

func pickRows[T element](p pick, b *Batch, dst, src []T) error {
	x := &b.In[0]
	for r := range b.N {
		n, out := p.rows, b.Out.At(r)
		if p.rows == graph.Any {
			n = int(b.Seg[r+1] - b.Seg[r])
		}
		for _, i := range b.In[1].Ints(r, p.indices) {
			if uint(i) >= uint(n) {
				return indexError(r, i, n)
			}
			var at int
			if p.rows == graph.Any {
				at = x.At(int(b.Seg[r] + i))
			} else {
				at = x.At(r) + int(i)*p.size
			}
			copy(dst[out:out+p.size], src[at:at+p.size])
			out += p.size
		}
	}
	return nil
}

// Eval implements Op.
func (AtOp) Eval(in []*Tensor) (*Tensor, error) {
	x, i := in[0], in[1]
	out := NewTensor(x.DType, slices.Concat(i.Shape, x.Shape[1:])...)
	n := size(x.Shape[1:])
	for k, index := range i.I {
		if index < 0 || int(index) >= x.Shape[0] {
			return nil, outOfRange(int(index), x.Shape[0])
		}
		row := x.firstAxis(int(index), int(index)+1)
		copy(out.F[min(k*n, len(out.F)):], row.F)
		copy(out.I[min(k*n, len(out.I)):], row.I)
	}
	return out, nil
}

var _ graph.Differentiable = AtOp{}
