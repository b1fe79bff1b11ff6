package ops

import "github.com/frondml/frond/graph"

// reduction is a way to combine elements, in their order, along any axes. It walks the input's rows in runs: a run is added to a part of
// the result, or, along a reduced axis, to one element of it.
type reduction[T element] struct {
	store   store[T]
	initial T
	combine func(dst, x, y []T) // dst may be x
	fold    func(acc T, x []T) T
}

// lower returns the batching rule for reducing values of type x along axes.
func (k *reduction[T]) lower(x graph.Type, axes axisSet) Lowering {
	a, list := alignReduced(x, axes)
	if list {
		return Lowering{Segments: k.kernel(a, segment)}
	}
	return Lowering{Rows: k.kernel(a, single)}
}

// alignReduced aligns what is left of a row of x after a reduction along axes
// with the row itself, and reports whether the rows of a list are reduced too.
func alignReduced(x graph.Type, axes axisSet) (a *alignment, list bool) {
	row := rowType(x).Shape
	if x.IsList() {
		list = axes.has(0)
		axes = axes.elem()
	}
	return align(row, axes.ones(row)), list
}

// kernel reduces the rows of every frame into one.
func (k *reduction[T]) kernel(a *alignment, rows rowsOfFrame) func(*Batch) error {
	n := a.in[0].size
	return func(b *Batch) error {
		x, z := &b.In[0], k.store.of(&b.Out)
		data := k.store.of(x)
		for i := range b.N {
			out := z[i*b.Out.Stride:][:n]
			fill(out, k.initial)
			from, to := rows(b, i)
			for j := from; j < to; j++ {
				k.add(a, out, data[x.At(j):][:a.size])
			}
		}
		return nil
	}
}

// rowsOfFrame returns the rows from..to-1 of the lists that belong to frame i.
type rowsOfFrame func(b *Batch, i int) (from, to int)

// segment is for kernels over segments.
func segment(b *Batch, i int) (from, to int) { return int(b.Seg[i]), int(b.Seg[i+1]) }

// single is for kernels over rows: every row is a frame.
func single(_ *Batch, i int) (from, to int) { return i, i + 1 }

// fill sets all elements of dst to v, by copies of ever longer parts.
func fill[T element](dst []T, v T) {
	if len(dst) == 0 {
		return
	}
	dst[0] = v
	for n := 1; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// add combines one row of the input into out.
func (k *reduction[T]) add(a *alignment, out, x []T) {
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
