package train

import (
	"errors"
	"fmt"
	"slices"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
)

// snapshot is a state of training on the host.
type snapshot struct {
	values   [][]float32 // of the variables, in their layouts
	state    State
	progress Progress
}

// Snapshot copies parameters and optimiser, as far as a device has them, to the host.
// Training goes back to the last snapshot when the device is lost. The trainer takes one
// by itself now and then, see Options.SnapshotEvery, and before Fit evaluates; whoever
// saves a checkpoint takes one before, so that training never goes back behind it.
func (t *Trainer[E]) Snapshot() error {
	if t.onDevice == nil {
		return nil // everything is on the host
	}
	if err := t.snapshot(); err != nil {
		return fmt.Errorf("snapshot: %w", t.goBackAfter(err))
	}
	return nil
}

// Release gives back what the optimiser holds on the session's device, by bringing it to
// the host, as closing the session does. Training can go on.
func (t *Trainer[E]) Release() error {
	if t.onDevice == nil {
		return nil
	}
	return t.onDevice.Release()
}

// snapshotIfDue is called before a step, when progress agrees with what the last did.
func (t *Trainer[E]) snapshotIfDue() error {
	if t.onDevice == nil || t.kept != nil && t.progress.Steps-t.kept.progress.Steps < int64(t.options.SnapshotEvery) {
		return nil
	}
	return t.snapshot()
}

// snapshot keeps the present state, or, after an error, what was kept before.
func (t *Trainer[E]) snapshot() error {
	params := t.session.Parameters()
	if err := params.Sync(); err != nil {
		return err
	}
	state, err := t.optimizer.State(params)
	if err != nil {
		return err
	}
	next := t.kept
	if next == nil {
		next = &snapshot{}
	}
	params.Read(func(values [][]float32) {
		next.values = slices.Grow(next.values, len(values))[:len(values)]
		for i, x := range values {
			next.values[i] = append(next.values[i][:0], x...)
		}
	})
	next.state.Steps = state.Steps
	next.state.Slots = slices.Grow(next.state.Slots, len(state.Slots))[:len(state.Slots)]
	for i, s := range state.Slots {
		next.state.Slots[i] = Slot{s.Name, s.Variable, append(next.state.Slots[i].Values[:0], s.Values...)}
	}
	next.progress, t.kept = t.progress, next
	return nil
}

// RollbackError says that a device has failed in such a way that the state of training
// was lost. Parameters, optimiser and progress are again what they were after a step.
type RollbackError struct {
	Step int64 // of the last snapshot, as in Progress.Steps
	Err  error
}

// Error tells what went wrong, and to which step training went back.
func (e *RollbackError) Error() string {
	return fmt.Sprintf("%v (training went back to its state after step %d)", e.Err, e.Step)
}

// Unwrap returns what went wrong.
func (e *RollbackError) Unwrap() error { return e.Err }

// goBackAfter restores the last snapshot if an error means that the present state is
// lost, unless that was done already.
func (t *Trainer[E]) goBackAfter(err error) error {
	_, done := errors.AsType[*RollbackError](err)
	if done || t.kept == nil || !errors.Is(err, device.ErrLost) && !errors.Is(err, exec.ErrInconsistent) {
		return err
	}
	params := t.session.Parameters()
	if e := t.optimizer.Restore(params, t.kept.state); e != nil {
		return errors.Join(err, fmt.Errorf("going back to step %d: %w", t.kept.progress.Steps, e))
	}
	params.Update(func(values [][]float32) {
		for i, x := range t.kept.values {
			copy(values[i], x)
		}
	})
	_ = params.Sync() // what it would say of the values that were lost is in err, and they are replaced
	t.progress = t.kept.progress
	return &RollbackError{t.kept.progress.Steps, err}
}
