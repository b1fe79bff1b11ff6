package level

import "github.com/frondml/frond/internal/kernel"

// embedding is a table of word vectors of which a mini-batch uses a few rows.
type embedding struct {
	width, ld   int
	value, sums []float32 // [vocab ld]

	place []int32 // per word: 1 + its row in grad, 0 if it has none
	used  []int32 // words with a row in grad
	grad  []float32
}

func newEmbedding(e []float32, vocab, width int) embedding {
	ld := stride(width)
	t := embedding{width: width, ld: ld, place: make([]int32, vocab)}
	t.value, t.sums = kernel.Aligned(vocab*ld), kernel.Aligned(vocab*ld)
	for i := range vocab {
		copy(t.value[i*ld:], e[i*width:(i+1)*width])
	}
	return t
}

// rows returns a table without the gaps between rows.
func (t *embedding) rows(table []float32) []float32 {
	rows := make([]float32, len(t.place)*t.width)
	for i := range t.place {
		copy(rows[i*t.width:(i+1)*t.width], table[i*t.ld:])
	}
	return rows
}

// collect adds the gradients of the leaves up by word.
func (t *embedding) collect(segments []*segment) {
	for _, w := range t.used {
		t.place[w] = 0
	}
	t.used = t.used[:0]
	leaves := 0
	for _, s := range segments {
		leaves += s.leaves
	}
	resize(&t.grad, leaves*t.ld)
	for _, s := range segments {
		for i, w := range s.words {
			from := s.dLeafX[i*t.ld : i*t.ld+t.width]
			if p := t.place[w]; p > 0 {
				at := int(p-1) * t.ld
				kernel.AddTo(t.grad[at:at+t.width], from)
				continue
			}
			copy(t.grad[len(t.used)*t.ld:], from)
			t.used = append(t.used, w)
			t.place[w] = int32(len(t.used))
		}
	}
}

func (t *embedding) update(rate, eps float32) {
	for i, w := range t.used {
		at := int(w) * t.ld
		kernel.Adagrad(t.value[at:at+t.width], t.sums[at:at+t.width], t.grad[i*t.ld:i*t.ld+t.width], rate, eps)
	}
}
