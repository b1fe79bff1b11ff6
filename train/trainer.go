package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/recursion"
)

// Options configure a trainer. The zero value is good for a start.
type Options struct {
	Batch    int     // examples per step; 0 stands for DefaultBatch
	ClipNorm float64 // limit of the norm of the gradient of a step; 0 for none
	Seed     uint64  // of shuffling and dropout
}

// DefaultBatch is the number of examples per step unless Options say otherwise.
const DefaultBatch = 32

// Trainer fits the variables of a session to examples of type E.
type Trainer[E any] struct {
	session   *exec.Session
	graph     *graph.Graph
	encode    func(E) ([]exec.Array, error)
	optimizer Optimizer
	options   Options
	progress  Progress
	inputs    [][]exec.Array
}

// NewTrainer returns a trainer of the graph f, whose losses are to become small. The
// fields of E are matched with the inputs of f by the rules of exec.Bind.
func NewTrainer[E, I, O any](s *exec.Session, f *recursion.SubGraph[I, O], opt Optimizer, o Options) (*Trainer[E], error) {
	encode, err := exec.Encoder[E](f)
	err = errors.Join(err, checkSettings("trainer", notNegative("Batch", float64(o.Batch)), notNegative("ClipNorm", o.ClipNorm)))
	if err != nil {
		return nil, err
	}
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	return &Trainer[E]{session: s, graph: f.Graph(), encode: encode, optimizer: opt, options: o, progress: Progress{Seed: o.Seed}}, nil
}

// Progress returns how far training has come.
func (t *Trainer[E]) Progress() Progress { return t.progress }

// Resume makes training go on from where p was taken, with the seed of p. Parameters
// and optimiser must be in the state that they had there.
func (t *Trainer[E]) Resume(p Progress) error {
	if err := p.check(); err != nil {
		return err
	}
	t.progress = p
	return nil
}

// StepStats describes one update.
type StepStats struct {
	Step     int64   // counted from 1
	Examples int     // of the mini-batch
	Loss     float64 // sum over the mini-batch
	Norm     float64 // of the gradient of the mean loss, before clipping
}

// Step updates the variables by the gradient of the mean loss of a mini-batch. After
// an error, also one of ctx, nothing has changed.
func (t *Trainer[E]) Step(ctx context.Context, batch []E) (StepStats, error) {
	stats, err := t.step(ctx, batch)
	if err != nil {
		return StepStats{}, fmt.Errorf("step %d: %w", t.progress.Steps+1, err)
	}
	return stats, nil
}

func (t *Trainer[E]) step(ctx context.Context, batch []E) (StepStats, error) {
	if len(batch) == 0 {
		return StepStats{}, ErrNoExamples
	}
	t.inputs = t.inputs[:0]
	for i, e := range batch {
		in, err := t.encode(e)
		if err != nil {
			return StepStats{}, fmt.Errorf("example %d of the batch: %w", i, err)
		}
		t.inputs = append(t.inputs, in)
	}
	r, err := t.session.Gradients(ctx, t.graph, t.inputs, exec.GradOptions{Seed: dropoutSeed(t.progress.Seed), Key: uint32(t.progress.Seen)})
	if err != nil {
		return StepStats{}, err
	}
	mean := 1 / float64(len(batch))
	norm := mean * Norm(r.Gradients)
	if !finite(r.Loss) || !finite(norm) {
		return StepStats{}, fmt.Errorf("%w: the loss is %v and the norm of its gradient %v (a lower learning rate or clipping may help; exec.Options.CheckFinite finds the operator)",
			exec.ErrNonFinite, r.Loss, norm)
	}
	scale := mean
	if limit := t.options.ClipNorm; limit > 0 && norm > limit {
		scale *= limit / norm
	}
	Scale(r.Gradients, scale)
	if err := t.optimizer.Step(t.session.Parameters(), r.Gradients); err != nil {
		return StepStats{}, err
	}
	t.progress.Steps++
	t.progress.Seen += int64(len(batch))
	return StepStats{Step: t.progress.Steps, Examples: len(batch), Loss: r.Loss, Norm: norm}, nil
}

// dropoutSeed spreads the seed, which people choose small, over all bits. A run whose
// seed is 0 would have no dropout.
func dropoutSeed(seed uint64) uint64 {
	seed = (seed + 1) * 0x9e3779b97f4a7c15
	return max(1, seed^seed>>32)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
