package ops

import "github.com/frondml/frond/graph"

// reduction is the kernel of operators that combine the elements along axes in
// their order. It walks the input's rows in runs: a run is added to a part of
// the result, or, along a reduced axis, to one element of it.
type reduction[T element] struct {
	axes    axisSet
	store   store[T]
	initial T
	combine func(dst, x, y []T) // dst may be x
	fold    func(acc T, x []T) T
}

// lower returns the batching rule for an input of type x.
func (k reduction[T]) lower(x graph.Type) Lowering {
	list := x.IsList()
	if !list {
		return Lowering{Rows: k.rows(align(x.Shape, k.axes.ones(x.Shape)))}
	}
	row := rowType(x).Shape
	a := align(row, k.axes.elem().ones(row))
	if k.axes.has(0) {
		return Lowering{Segments: k.segments(a)}
	}
	return Lowering{Rows: k.rows(a)}
}

// rows reduces every row.
func (k reduction[T]) rows(a *alignment) func(*Batch) error {
	n := a.in[0].size
	return func(b *Batch) error {
		x, z := &b.In[0], k.store.of(&b.Out)
		data := k.store.of(x)
		for i := range b.N {
			out := z[i*b.Out.Stride:][:n]
			k.start(out)
			k.add(a, out, data[x.At(i):][:a.size])
		}
		return nil
	}
}

// segments reduces all rows of every list.
func (k reduction[T]) segments(a *alignment) func(*Batch) error {
	n := a.in[0].size
	return func(b *Batch) error {
		x, z := &b.In[0], k.store.of(&b.Out)
		data := k.store.of(x)
		for i := range b.N {
			out := z[i*b.Out.Stride:][:n]
			k.start(out)
			for j := int(b.Seg[i]); j < int(b.Seg[i+1]); j++ {
				k.add(a, out, data[x.At(j):][:a.size])
			}
		}
		return nil
	}
}

func (k reduction[T]) start(out []T) {
	for j := range out {
		out[j] = k.initial
	}
}

// add combines one row of the input into out.
func (k reduction[T]) add(a *alignment, out, x []T) {
	o := &a.in[0]
	for r, s := range o.starts {
		run := x[r*a.run:][:a.run]
		if o.step == 1 {
			part := out[s:][:a.run]
			k.combine(part, part, run)
			continue
		}
		out[s] = k.fold(out[s], run)
	}
}
