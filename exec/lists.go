package exec

import (
	"fmt"
	"math"

	"github.com/frondml/frond/ops"
)

// arena holds the lists of an engine's runs: a list is named by the place of its
// length, which its elements follow. Place 0 is the empty list.
type arena struct {
	words   []int32
	mayGrow func(bytes int64) error // reports why the lists may not take more memory
	err     error                   // why a list could not be made, until failure takes it
}

var _ ops.Lists = (*arena)(nil)

func (a *arena) reset() { a.words, a.err = append(a.words[:0], 0), nil }

// failure returns why a list could not be made since the last call. The error
// belongs to the runs that asked for it, not to those that come later.
func (a *arena) failure() error {
	err := a.err
	a.err = nil
	return err
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
	end := h + 1 + n
	if err := a.reserve(n, end); err != nil {
		a.err = err
		return 0, nil
	}
	a.words = a.words[:end]
	a.words[h] = int32(n)
	clear(a.words[h+1:])
	return int32(h), a.words[h+1 : end : end]
}

// reserve makes room for the words up to end, for a list of n elements.
func (a *arena) reserve(n, end int) error {
	if end > math.MaxInt32 {
		return fmt.Errorf("%w: a list of %d elements beside others of %d words, a handle can name %d", ErrMemory, n, len(a.words), math.MaxInt32)
	}
	if end <= cap(a.words) {
		return nil
	}
	grown := end + end/4
	if err := a.mayGrow(int64(grown-cap(a.words)) * 4); err != nil {
		return err
	}
	a.words = append(make([]int32, 0, grown), a.words...)
	return nil
}
