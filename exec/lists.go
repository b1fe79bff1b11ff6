package exec

import (
	"fmt"
	"math"

	"github.com/frondml/frond/ops"
)

// arena holds the lists of an engine's runs: a list is named by the place of its
// length, which its elements follow. Place 0 is the empty list.
type arena struct {
	words []int32
	limit int   // words; 0: only what a handle can name
	err   error // a list did not fit
}

var _ ops.Lists = (*arena)(nil)

func (a *arena) reset() { a.words, a.err = append(a.words[:0], 0), nil }

func (a *arena) most() int {
	if a.limit > 0 {
		return min(a.limit, math.MaxInt32)
	}
	return math.MaxInt32
}

// Get implements ops.Lists.
func (a *arena) Get(h int32) []int32 {
	n := a.words[h]
	return a.words[h+1 : h+1+n : h+1+n]
}

// New implements ops.Lists.
func (a *arena) New(n int) (int32, []int32) {
	if n == 0 {
		return 0, nil
	}
	h := len(a.words)
	if most := a.most(); n > most-h-1 {
		a.err = fmt.Errorf("%w: a list of %d elements; lists may take %d words and have %d", ErrMemory, n, most, h)
		return 0, nil
	}
	a.words = append(a.words, int32(n))
	end := h + 1 + n
	if end <= cap(a.words) {
		a.words = a.words[:end]
		clear(a.words[h+1:])
	} else {
		a.words = append(a.words, make([]int32, n)...)
	}
	return int32(h), a.words[h+1 : end : end]
}
