package ops

import "github.com/frondml/frond/graph"

// blocks says how the part of a row that an input gives to a result, or the part
// of an input that becomes the result, lies in both rows: n blocks of equal size
// at regular distances.
type blocks struct {
	n, size       int
	src, srcEvery int // place of the first block and distance of the blocks in the input
	dst, dstEvery int // the same in the result
}

// around returns the product of the extents before axis and that of those after it.
func around(s graph.Shape, axis int) (outer, inner int) {
	return s[:axis].Size(), s[axis+1:].Size()
}

// window returns the part of the input's row that is the result's row, if it is
// one block.
func (k blocks) window() (Window, bool) { return Window{k.src, k.size}, k.n == 1 }

// copyBlocks is a kernel that copies one part of each input, after clearing the
// row of the result, of the given size, when it is not covered.
func copyBlocks(d graph.DType, parts []blocks, uncovered int) func(*Batch) error {
	if d.IsFloat() {
		return copyBlocksOf(floats, parts, uncovered)
	}
	return copyBlocksOf(ints, parts, uncovered)
}

func copyBlocksOf[T element](s store[T], parts []blocks, uncovered int) func(*Batch) error {
	return func(b *Batch) error {
		out := s.of(&b.Out)
		for r := range b.N {
			at := b.Out.At(r)
			clear(out[at : at+uncovered])
			for i := range parts {
				in := &b.In[i]
				copyRow(&parts[i], out[at:], s.of(in)[in.At(r):])
			}
		}
		return nil
	}
}

func copyRow[T element](k *blocks, dst, src []T) {
	from, to := k.src, k.dst
	for range k.n {
		copy(dst[to:to+k.size], src[from:from+k.size])
		from += k.srcEvery
		to += k.dstEvery
	}
}
