package ops

import "github.com/frondml/frond/graph"

// alignment says, for an element-wise operator, where the elements of a result
// row come from in the rows of the operands. A result row is cut into runs of
// equal length; within a run every operand either goes on element by element
// or stays at one.
type alignment struct {
	size int // elements of a result row
	run  int // elements of a run
	runs int
	in   []operand
}

// operand is one operand of an alignment.
type operand struct {
	starts []int // per run, the place in the operand's row
	step   int   // 1, or 0 to repeat one element over a run
	same   bool  // the operand's row has the layout of the result's
	size   int   // elements of the operand's row
}

// align aligns operands of the given row shapes, which broadcast to out.
func align(out graph.Shape, in ...graph.Shape) *alignment {
	axes := collapse(out, in)
	a := &alignment{size: out.Size(), run: 1, in: make([]operand, len(in))}
	inner := strided{1, make([]int, len(in))}
	for i := range inner.strides {
		inner.strides[i] = 1
	}
	if n := len(axes); n > 0 {
		inner, axes = axes[n-1], axes[:n-1]
	}
	a.run = inner.extent
	for i := range in {
		o := operand{starts: places(axes, i), step: inner.strides[i], same: inner.strides[i] == 1, size: in[i].Size()}
		for r, s := range o.starts {
			o.same = o.same && s == r*a.run
		}
		a.in[i], a.runs = o, len(o.starts)
	}
	return a
}

// strided is an axis of the result with the stride of every operand along it.
type strided struct {
	extent  int
	strides []int
}

// collapse returns the axes of the result that are longer than 1, with those
// merged that every operand walks as one.
func collapse(out graph.Shape, in []graph.Shape) []strided {
	axes := make([]strided, len(out))
	for k := range axes {
		axes[k] = strided{out[k], make([]int, len(in))}
	}
	for i, s := range in {
		stride := 1
		for k := len(s) - 1; k >= 0; k-- {
			if s[k] != 1 {
				axes[k+len(out)-len(s)].strides[i] = stride
			}
			stride *= s[k]
		}
	}
	var merged []strided
	for _, a := range axes {
		if a.extent == 1 {
			continue
		}
		if n := len(merged); n > 0 && oneWalk(merged[n-1], a) {
			a.extent *= merged[n-1].extent
			merged = merged[:n-1]
		}
		merged = append(merged, a)
	}
	return merged
}

// oneWalk reports whether every operand goes along outer as it would go on
// along inner.
func oneWalk(outer, inner strided) bool {
	for i, s := range inner.strides {
		if outer.strides[i] != s*inner.extent {
			return false
		}
	}
	return true
}

// places lists the offsets of operand i over all positions along the axes.
func places(axes []strided, i int) []int {
	at := []int{0}
	for _, a := range axes {
		next := make([]int, 0, len(at)*a.extent)
		for _, o := range at {
			for j := range a.extent {
				next = append(next, o+j*a.strides[i])
			}
		}
		at = next
	}
	return at
}

// whole reports whether the row of operand i has the elements of a result row, at the
// same places.
func (a *alignment) whole(i int) bool { return a.in[i].same && a.in[i].size == a.size }

// element is the type of the elements that kernels work on.
type element interface{ float32 | int32 }

const (
	// narrowRow bounds the rows that are gathered into blocks when they are not
	// contiguous: for them the call per row would cost more than the copy.
	narrowRow = 32
	// blockSize is the number of elements of such a block.
	blockSize = 256
)

// walk goes through the result of a batch in pieces that are contiguous in Out.
// A piece is the whole batch, a block of narrow rows, or one run of one row.
type walk struct {
	*alignment
	b      *Batch
	flat   bool // all operands are contiguous: one piece
	narrow bool // pieces are blocks of rows
	row    int  // first row of the piece
	r      int  // run, unless flat or narrow
	next   int  // row after the piece
	at, n  int  // where the piece lies in Out
}

// over starts a walk before its first piece.
func (a *alignment) over(b *Batch) walk {
	w := walk{alignment: a, b: b, flat: true, r: a.runs}
	whole := b.N == 1 || b.Out.Stride == a.size
	for i := range a.in {
		w.flat = w.flat && a.in[i].same && a.contiguous(i, b)
	}
	w.flat = w.flat && whole
	w.narrow = a.size < narrowRow && whole
	return w
}

// contiguous reports whether the rows of operand i lie one after the other.
func (a *alignment) contiguous(i int, b *Batch) bool {
	r := &b.In[i]
	return r.Index == nil && (b.N == 1 || r.Stride == a.size)
}

// step moves to the next piece.
func (w *walk) step() bool {
	switch {
	case w.size == 0:
		return false
	case w.flat:
		w.row, w.next = w.next, w.b.N
		w.n = w.b.N * w.size
	case w.narrow:
		w.row, w.next = w.next, min(w.b.N, w.next+blockSize/w.size)
		w.at, w.n = w.row*w.size, (w.next-w.row)*w.size
	default:
		if w.r++; w.r >= w.runs {
			w.r, w.row, w.next = 0, w.next, w.next+1
		}
		w.at, w.n = w.row*w.b.Out.Stride+w.r*w.run, w.run
	}
	return w.row < w.b.N
}

// copies is the room that a copy of an operand for one piece needs.
func (w *walk) copies() int {
	switch {
	case w.flat:
		return 0
	case w.narrow:
		return blockSize
	}
	return w.run
}

// take returns what operand i gives to the current piece: a part of its rows
// in data where they lie as needed, else a copy of them in buf.
func take[T element](w *walk, i int, data, buf []T) []T {
	o, rows := &w.in[i], &w.b.In[i]
	switch {
	case w.flat:
		return data[:w.n]
	case w.narrow && o.same && w.contiguous(i, w.b):
		return data[w.at : w.at+w.n]
	case w.narrow:
		gather(w, o, rows, data, buf)
		return buf[:w.n]
	}
	from := rows.At(w.row) + o.starts[w.r]
	if o.step == 1 {
		return data[from : from+w.n]
	}
	fill(buf[:w.n], data[from])
	return buf[:w.n]
}

// gather copies the rows of a block in the layout of the result.
func gather[T element](w *walk, o *operand, rows *Rows, data, buf []T) {
	if o.size == 1 && rows.Stride == 0 {
		fill(buf[:w.n], data[0])
		return
	}
	k := 0
	for row := w.row; row < w.next; row++ {
		from := rows.At(row)
		for _, s := range o.starts {
			at := from + s
			for range w.run {
				buf[k] = data[at]
				at += o.step
				k++
			}
		}
	}
}
