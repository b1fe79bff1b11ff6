package train_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/train"
)

// failing is a device of which one operation fails.
type failing struct {
	*host.Device
	asked atomic.Int64
	what  atomic.Value // the operation that failed
}

func newFailing(nth int64, err error) *failing {
	f := &failing{}
	f.Device = host.New(host.Options{Poison: true, Check: true, Failure: func(what string) error {
		if f.asked.Add(1) != nth {
			return nil
		}
		f.what.Store(what)
		return err
	}})
	return f
}

// failed tells the operation that failed, nil as long as none has.
func (f *failing) failed() any { return f.what.Load() }

// short is a training of four steps in two epochs, with evaluations.
type short struct {
	model treeModel
	trees []tree
}

func newShort(t testing.TB) short {
	return short{model: newTreeModel(t), trees: []tree{leaf(1), leaf(2), randomTrees(3, 1)[0], leaf(4)}}
}

// state is what training consists of.
type state struct {
	values   map[string][]float32
	opt      train.State
	progress train.Progress
}

func stateOfRun(t testing.TB, r run) state {
	t.Helper()
	s := state{values(r.session.Parameters()), r.state(t), r.trainer.Progress()}
	for i := range s.opt.Slots {
		s.opt.Slots[i].Values = slices.Clone(s.opt.Slots[i].Values)
	}
	return s
}

// requireState compares states, and says in a line what differs.
func requireState(t testing.TB, want, got state, at string) {
	t.Helper()
	require.Equal(t, want.progress, got.progress, at)
	require.Equal(t, want.opt.Steps, got.opt.Steps, at)
	for name := range want.values {
		require.True(t, slices.Equal(want.values[name], got.values[name]), "%s: values of %s", at, name)
	}
	require.Len(t, got.opt.Slots, len(want.opt.Slots))
	for i, slot := range want.opt.Slots {
		require.True(t, slices.Equal(slot.Values, got.opt.Slots[i].Values), "%s: %s of %s", at, slot.Name, slot.Variable.Name)
	}
}

func (s short) start(t testing.TB, d device.Device) (run, error) {
	e, err := exec.New(s.model.program, exec.Options{Workers: 1, Deterministic: true, Seed: 5, Device: d})
	if err != nil {
		return run{}, err
	}
	opt := train.NewAdam(0.1)
	return run{e, opt, s.model.trainer(t, e, opt, train.Options{Batch: 2, Seed: 3, ClipNorm: 0.5, SnapshotEvery: 2})}, nil
}

// fit trains to the end. onStep is called after every step and evaluation.
func (s short) fit(t testing.TB, r run, onStep func()) error {
	return r.trainer.Fit(t.Context(), r.trainer.Shuffled(s.trees), train.Plan{
		Epochs: 2,
		OnStep: func(step train.StepStats) error {
			onStep()
			if step.Step%2 == 0 {
				return nil
			}
			params := r.session.Parameters() // what saving reads
			_, err := r.opt.State(params)
			return errors.Join(params.Sync(), err)
		},
		Evaluate: func(ctx context.Context) (float64, error) {
			loss, err := train.Evaluate(ctx, r.session, s.model.classify, slices.Values(s.trees), 4, func(tree, train.Outcome) {})
			return -loss, err
		},
		OnEpoch: func(train.EpochStats) error { onStep(); return nil },
	})
}

// undisturbed trains without a fault, and returns all states on the way, by progress.
func (s short) undisturbed(t testing.TB) (final state, all map[train.Progress]state) {
	r, err := s.start(t, strict())
	require.NoError(t, err)
	defer r.session.Close()
	all = map[train.Progress]state{}
	note := func() { all[r.trainer.Progress()] = stateOfRun(t, r) }
	note()
	require.NoError(t, s.fit(t, r, note))
	return stateOfRun(t, r), all
}

// resume goes on from a checkpoint on another device.
func (s short) resume(t testing.TB, path string) state {
	d := strict()
	r, err := s.start(t, d)
	require.NoError(t, err)
	r.load(t, path)
	require.NoError(t, s.fit(t, r, func() {}))
	final := stateOfRun(t, r)
	require.NoError(t, r.session.Close())
	require.Zero(t, d.Held())
	return final
}

// stride is from one operation to the next that is to fail.
func stride() int64 {
	if testing.Short() {
		return 19
	}
	return 1
}

// Whatever operation a device is lost in: there is an error that says so, parameters,
// optimiser and progress are those of a step of the undisturbed training, and training
// goes on from there on another device as if nothing had happened.
func TestDeviceIsLostInTheMiddleOfTraining(t *testing.T) {
	t.Parallel()
	s := newShort(t)
	final, all := s.undisturbed(t)
	seen := map[int64]bool{}
	path := filepath.Join(t.TempDir(), "saved.safetensors")
	after := func(r run) {
		step := r.trainer.Progress().Steps
		if !seen[step] {
			seen[step] = true
			require.NoError(t, train.Save(path, r.checkpoint()))
			requireState(t, final, s.resume(t, path), fmt.Sprint("from step ", step))
		}
	}
	n := int64(1)
	for !s.loseOnce(t, newFailing(n, errors.New("unplugged")), all, after) {
		n += stride()
	}
	require.Greater(t, n, int64(100), "operations of a training")
	require.Equal(t, map[int64]bool{0: true, 2: true, 4: true}, seen, "steps that training went back to")
}

// loseOnce trains on a device that is lost, calls after, and reports whether it was not
// lost.
func (s short) loseOnce(t *testing.T, d *failing, all map[train.Progress]state, after func(run)) bool {
	at := func() string { return fmt.Sprintf("operation %d, %v", d.asked.Load(), d.failed()) }
	r, err := s.start(t, d)
	if err != nil {
		require.ErrorIs(t, err, device.ErrLost, at())
		require.Zero(t, d.Held(), at())
		return false
	}
	err = s.fit(t, r, func() {})
	if d.failed() != nil {
		require.ErrorIs(t, err, device.ErrLost, at())
		p := r.trainer.Progress()
		if rolled, ok := errors.AsType[*train.RollbackError](err); ok {
			require.Equal(t, p.Steps, rolled.Step, at())
			require.Contains(t, err.Error(), fmt.Sprintf("after step %d", p.Steps), at())
		}
		want, ok := all[p]
		require.True(t, ok, "%s: %+v is not the progress of any step", at(), p)
		requireState(t, want, stateOfRun(t, r), at())
		after(r)
	} else {
		require.NoError(t, err)
	}
	if err := r.session.Close(); err != nil {
		require.ErrorIs(t, err, device.ErrLost, at())
		require.NotNil(t, d.failed(), "an error without a fault")
	}
	require.Zero(t, d.Held(), at())
	return d.failed() == nil
}

// Whatever operation finds no memory: training goes on, and comes to the same end.
func TestDeviceRunsOutOfMemoryInTheMiddleOfTraining(t *testing.T) {
	t.Parallel()
	s := newShort(t)
	final, all := s.undisturbed(t)
	rolled := 0
	for n := int64(1); ; n += stride() {
		d := newFailing(n, fmt.Errorf("%w: all of it is taken", device.ErrMemory))
		r, err := s.start(t, d)
		if err != nil {
			require.ErrorIs(t, err, device.ErrMemory, "operation %d", n)
			require.Zero(t, d.Held(), "operation %d, %v", n, d.failed())
			continue
		}
		last := r.trainer.Progress()
		err = s.fit(t, r, func() { last = r.trainer.Progress() })
		if d.failed() == nil {
			require.NoError(t, err)
			_ = r.session.Close() // where the fault may come now
			require.Greater(t, n, int64(100), "operations of a training")
			break
		}
		if err != nil {
			at := fmt.Sprintf("operation %d, %v: %v", n, d.failed(), err)
			require.ErrorIs(t, err, device.ErrMemory, at)
			p := r.trainer.Progress()
			if _, ok := errors.AsType[*train.RollbackError](err); ok {
				rolled++
				require.NotEqual(t, "Alloc", d.failed(), at)
			} else {
				require.Equal(t, last.Steps, p.Steps, at)
			}
			requireState(t, all[p], stateOfRun(t, r), at)
			require.NoError(t, s.fit(t, r, func() {}), at)
		}
		requireState(t, final, stateOfRun(t, r), fmt.Sprintf("operation %d, %v: %v", n, d.failed(), err))
		require.NoError(t, r.session.Close())
		require.Zero(t, d.Held(), "operation %d, %v", n, d.failed())
	}
	if !testing.Short() { // which tries too few operations to meet one
		assert.Positive(t, rolled, "steps that had begun")
	}
}
