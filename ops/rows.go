package ops

// The drivers below turn a loop over equally long slices into a kernel over
// rows. A loop gives the same bits for an element wherever it stands in a
// slice, so the bits of a row do not depend on how the batch is cut. The result
// may alias an operand whose rows have the result's layout and lie where the
// result's rows lie.

// store is where rows keep their elements of one Go type.
type store[T element] struct {
	of      func(*Rows) []T
	scratch func(*Scratch, int) []T
}

var (
	floats = store[float32]{func(r *Rows) []float32 { return r.F }, (*Scratch).Floats}
	ints   = store[int32]{func(r *Rows) []int32 { return r.I }, (*Scratch).Ints}
)

// mapRows is the kernel dst = f(x).
func mapRows[T, U element](a *alignment, src store[T], dst store[U], f func(dst []U, x []T)) func(*Batch) error {
	return func(b *Batch) error {
		x, z := src.of(&b.In[0]), dst.of(&b.Out)
		w := a.over(b)
		buf := src.scratch(b.Tmp, w.copies())
		for w.step() {
			f(z[w.at:w.at+w.n], take(&w, 0, x, buf))
		}
		return nil
	}
}

// zipRows is the kernel dst = f(x, y).
func zipRows[T, U element](a *alignment, src store[T], dst store[U], f func(dst []U, x, y []T)) func(*Batch) error {
	return func(b *Batch) error {
		x, y, z := src.of(&b.In[0]), src.of(&b.In[1]), dst.of(&b.Out)
		w := a.over(b)
		n := w.copies()
		buf := src.scratch(b.Tmp, 2*n)
		for w.step() {
			f(z[w.at:w.at+w.n], take(&w, 0, x, buf[:n]), take(&w, 1, y, buf[n:]))
		}
		return nil
	}
}
