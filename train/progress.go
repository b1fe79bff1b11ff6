package train

import (
	"fmt"
	"iter"
	"math/rand/v2"
)

// Progress is how far training has come. Together with the parameters and the
// optimiser's state it is all that is needed to go on.
type Progress struct {
	Seed      uint64  `json:"seed"`       // of shuffling and dropout
	Steps     int64   `json:"steps"`      // updates made
	Seen      int64   `json:"seen"`       // examples in these, counted anew in every epoch
	Epoch     int     `json:"epoch"`      // epochs completed, with their evaluation
	Position  int     `json:"position"`   // examples of the running epoch that were used
	Loss      float64 `json:"loss"`       // sum of their losses
	Best      float64 `json:"best"`       // largest score of an evaluation
	BestEpoch int     `json:"best_epoch"` // the epoch that got it, counted from 1; 0 before any evaluation
}

// check reports what no training run can have written.
func (p Progress) check() error {
	if p.Steps < 0 || p.Seen < 0 || p.Epoch < 0 || p.Position < 0 || p.BestEpoch < 0 || p.BestEpoch > p.Epoch {
		return fmt.Errorf("%w: progress %+v is not one of a training run", ErrMismatch, p)
	}
	return nil
}

// Source gives the examples of an epoch, counted from 0. It must give the same
// examples in the same order when it is asked for an epoch again.
type Source[E any] func(epoch int) iter.Seq[E]

// Shuffled is the source of the given examples in an order that depends on the
// trainer's seed and the epoch. It does not copy the examples.
func (t *Trainer[E]) Shuffled(examples []E) Source[E] {
	return func(epoch int) iter.Seq[E] {
		return func(yield func(E) bool) {
			for _, i := range rand.New(rand.NewPCG(t.progress.Seed, uint64(epoch))).Perm(len(examples)) {
				if !yield(examples[i]) {
					return
				}
			}
		}
	}
}
