package main

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// vectorFunc computes a vector from x and, where the operator has two inputs, y,
// all of the same length. It must not allocate.
type vectorFunc func(out, x, y []float32)

// lowerVectors is the batching rule of an operator that works on vectors along the
// last axis of inputs of type t. There are two cases: the vector lies in one row,
// or it is a list of scalars, whose elements are rows of their own.
func lowerVectors(t graph.Type, f vectorFunc) ops.Lowering {
	if t.IsList() && t.Rank() == 1 {
		return ops.Lowering{Segments: func(b *ops.Batch) error { return overLists(b, f) }}
	}
	d := t.Shape[t.Rank()-1]
	return ops.Lowering{Rows: func(b *ops.Batch) error { return overRows(b, t.Size(), d, f) }}
}

// overRows applies f to every vector of d elements in every row of size elements.
// Operands may be gathered, strided or shared by all rows, which Rows.Row hides.
func overRows(b *ops.Batch, size, d int, f vectorFunc) error {
	for i := range b.N {
		out, x, y := b.Out.Row(i, size), b.In[0].Row(i, size), []float32(nil)
		if len(b.In) > 1 {
			y = b.In[1].Row(i, size)
		}
		for from := 0; from < size; from += d {
			to := from + d
			f(out[from:to], x[from:to], y[min(from, len(y)):min(to, len(y))])
		}
	}
	return nil
}

// overLists applies f to every list of scalars, the elements of frame i being the
// rows Seg[i] to Seg[i+1]. They may lie apart and are gathered first.
func overLists(b *ops.Batch, f vectorFunc) error {
	for i := range b.N {
		from, n := int(b.Seg[i]), int(b.Seg[i+1]-b.Seg[i])
		tmp := b.Tmp.Floats((len(b.In) + 1) * n)
		for k := range b.In {
			for j := range n {
				tmp[k*n+j] = b.In[k].Row(from+j, 1)[0]
			}
		}
		out := tmp[len(b.In)*n:]
		f(out, tmp[:n], tmp[n:len(b.In)*n])
		for j, v := range out {
			b.Out.Row(from+j, 1)[0] = v
		}
	}
	return nil
}
