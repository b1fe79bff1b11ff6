package train

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/frondml/frond/exec"
)

// EpochStats describes an epoch that has ended.
type EpochStats struct {
	Epoch    int           // counted from 1
	Examples int           // of the epoch
	Loss     float64       // mean over the examples, each taken when its batch was used
	Trained  int           // examples since Epoch or Fit was called: fewer after a resumption
	Duration time.Duration // of training with these, without the evaluation
	Exec     exec.Stats    // what the session executed for these
	Score    float64       // of the evaluation, 0 without
	Best     bool          // no evaluation before had such a high score
}

// Rate returns the examples per second.
func (s EpochStats) Rate() float64 {
	if s.Duration <= 0 {
		return 0
	}
	return float64(s.Trained) / s.Duration.Seconds()
}

// Epoch makes one pass over the examples in mini-batches, the last of which may be
// small, and calls onStep, if it is not nil, after each; an error of onStep ends the
// pass. When training was interrupted in an epoch, it leaves out as many examples as
// were used. It resets the session's statistics.
func (t *Trainer[E]) Epoch(ctx context.Context, examples iter.Seq[E], onStep func(StepStats) error) (EpochStats, error) {
	stats, err := t.pass(ctx, examples, onStep)
	if err == nil {
		t.endEpoch()
	}
	return stats, err
}

func (t *Trainer[E]) endEpoch() {
	t.progress.Epoch++
	t.progress.Position, t.progress.Loss = 0, 0
	if t.kept != nil && t.kept.progress.Steps == t.progress.Steps {
		t.kept.progress = t.progress
	}
}

// pass trains with what is left of the running epoch.
func (t *Trainer[E]) pass(ctx context.Context, examples iter.Seq[E], onStep func(StepStats) error) (EpochStats, error) {
	if err := given("sequence of examples", examples); err != nil {
		return EpochStats{}, fmt.Errorf("epoch %d: %w", t.progress.Epoch+1, err)
	}
	t.session.ResetStats()
	stats := EpochStats{Epoch: t.progress.Epoch + 1}
	begun := time.Now()
	for batch := range batches(examples, t.progress.Position, t.options.Batch) {
		step, err := t.Step(ctx, batch)
		if err != nil {
			return EpochStats{}, fmt.Errorf("epoch %d: %w", stats.Epoch, err)
		}
		t.progress.Position += step.Examples
		t.progress.Loss += step.Loss
		stats.Trained += step.Examples
		if onStep == nil {
			continue
		}
		if err := onStep(step); err != nil {
			return EpochStats{}, fmt.Errorf("epoch %d: step %d: %w", stats.Epoch, step.Step, t.goBackAfter(err))
		}
	}
	if t.progress.Position == 0 {
		return EpochStats{}, fmt.Errorf("epoch %d: %w", stats.Epoch, ErrNoExamples)
	}
	stats.Duration = time.Since(begun)
	stats.Examples, stats.Loss = t.progress.Position, t.progress.Loss/float64(t.progress.Position)
	stats.Exec = t.session.Stats()
	return stats, nil
}

// batches yields slices of size examples, or what is left at the end, behind the first
// skip. The slice is used again for the next batch.
func batches[E any](examples iter.Seq[E], skip, size int) iter.Seq[[]E] {
	return func(yield func([]E) bool) {
		var batch []E
		for e := range examples {
			if skip > 0 {
				skip--
				continue
			}
			batch = append(batch, e)
			if len(batch) == size {
				if !yield(batch) {
					return
				}
				batch = batch[:0]
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// Plan says how long to train and what to do meanwhile. Functions may be nil.
type Plan struct {
	Epochs int // how many there are to be, those of earlier runs included
	// Patience stops training when so many epochs in a row had no better score than
	// the best before; 0 trains on. It needs Evaluate.
	Patience int
	// Evaluate returns a score after every epoch; larger is better.
	Evaluate func(context.Context) (float64, error)
	// OnStep is called after every step, when Progress counts it, and OnEpoch when an
	// epoch has ended and was evaluated: the places to save. An error ends training.
	OnStep  func(StepStats) error
	OnEpoch func(EpochStats) error
}

// check reports a plan that cannot be meant.
func (p Plan) check() error {
	err := checkSettings("plan", notNegative("Epochs", float64(p.Epochs)), notNegative("Patience", float64(p.Patience)))
	if p.Patience > 0 && p.Evaluate == nil {
		err = errors.Join(err, fmt.Errorf("plan: %w: Patience is %d without Evaluate, whose scores it is about", ErrSetting, p.Patience))
	}
	return err
}

// Fit trains for the epochs of the plan, or until patience is exhausted. When it
// returns an error, that of ctx for instance, Progress says how far it came, and Fit
// may be called again to go on, also by another process.
func (t *Trainer[E]) Fit(ctx context.Context, source Source[E], p Plan) error {
	if err := errors.Join(given("source", source), p.check()); err != nil {
		return fmt.Errorf("train: fit: %w", err)
	}
	for t.progress.Epoch < p.Epochs && !t.exhausted(p) {
		stats, err := t.pass(ctx, source(t.progress.Epoch), p.OnStep)
		if err != nil {
			return err
		}
		if p.Evaluate != nil {
			if err := t.evaluate(ctx, p, &stats); err != nil {
				return fmt.Errorf("epoch %d: evaluation: %w", stats.Epoch, t.goBackAfter(err))
			}
		}
		t.endEpoch()
		if p.OnEpoch != nil {
			if err := p.OnEpoch(stats); err != nil {
				return fmt.Errorf("epoch %d: %w", stats.Epoch, t.goBackAfter(err))
			}
		}
	}
	return nil
}

func (t *Trainer[E]) exhausted(p Plan) bool {
	return p.Patience > 0 && t.progress.BestEpoch > 0 && t.progress.Epoch-t.progress.BestEpoch >= p.Patience
}

func (t *Trainer[E]) evaluate(ctx context.Context, p Plan, stats *EpochStats) error {
	if err := t.Snapshot(); err != nil {
		return err
	}
	score, err := p.Evaluate(ctx)
	if err != nil {
		return err
	}
	if !finite(score) {
		return fmt.Errorf("%w: the score is %v", exec.ErrNonFinite, score)
	}
	stats.Score = score
	stats.Best = t.progress.BestEpoch == 0 || score > t.progress.Best
	if stats.Best {
		t.progress.Best, t.progress.BestEpoch = score, stats.Epoch
	}
	return nil
}
