package train_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/exec/device/host"
	"github.com/frondml/frond/train"
)

// strict is a device that finds what its users do wrong.
func strict() *host.Device { return host.New(host.Options{Poison: true, Check: true}) }

// onDevice is a session on a strict device, which must have everything back at the end.
func (m treeModel) onDevice(t testing.TB, o exec.Options) *exec.Session {
	t.Helper()
	d := strict()
	o.Device = d
	t.Cleanup(func() { assert.Zero(t, d.Held()) })
	return m.session(t, o)
}

// gradientsOnDevice is a gradient run whose gradients stay on the device.
func (m treeModel) gradientsOnDevice(t testing.TB, s *exec.Session, trees []tree) *exec.DeviceGradients {
	t.Helper()
	encode, err := exec.Encoder[tree](m.classify)
	require.NoError(t, err)
	inputs := make([][]exec.Array, len(trees))
	for i, x := range trees {
		inputs[i], err = encode(x)
		require.NoError(t, err)
	}
	r, err := s.Gradients(t.Context(), m.classify.Graph(), inputs, exec.GradOptions{OnDevice: true})
	require.NoError(t, err)
	return r.DeviceGradients
}

// A step on a device does, bit for bit, what a step on the host does with the same
// gradient: with sparse rows, rows that have none, L2 and frozen variables.
func TestStepsOnDevicesAreThoseOfTheHost(t *testing.T) {
	m := newTreeModel(t)
	m.variable("b").Frozen = true
	for name, newOptimizer := range optimizers() {
		for _, lazily := range []bool{false, true} {
			make := func() train.DeviceOptimizer {
				o := newOptimizer()
				if lazily {
					o = lazy(o)
				}
				return o.(train.DeviceOptimizer)
			}
			s := m.onDevice(t, exec.Options{Workers: 2, Seed: 3})
			params := exec.NewParameters(m.program, 3)
			there, here := make(), make()
			for step := range uint64(4) {
				g := m.gradientsOnDevice(t, s, randomTrees(step, 3))
				down, err := g.Download()
				require.NoError(t, err)
				require.NoError(t, here.Step(params, down))
				require.NoError(t, there.StepOnDevice(g))
				require.Equal(t, values(params), values(s.Parameters()), "%s, lazy %t, step %d", name, lazily, step)
				require.Equal(t, stateOf(t, here, params), stateOf(t, there, params), "%s, lazy %t, step %d", name, lazily, step)
			}
		}
	}
}

// A step without inputs has a gradient of zeros: what decays, decays.
func TestStepOnDeviceWithoutGradient(t *testing.T) {
	m := newTreeModel(t)
	s := m.onDevice(t, exec.Options{Workers: 1, Seed: 3})
	opt := &train.SGD{LearningRate: 0.5, L2: 0.5}
	before := values(s.Parameters())
	require.NoError(t, opt.StepOnDevice(m.gradientsOnDevice(t, s, nil)))
	for name, x := range values(s.Parameters()) {
		for i := range x {
			require.InDelta(t, 0.75*before[name][i], x[i], 1e-6)
		}
	}
}

// Trainers with and without a device follow the same curve.
func TestTrainingOnDevices(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 50)
	for name, newOptimizer := range optimizers() {
		here := newRun(t, m, newOptimizer(), exec.Options{Workers: 2, Seed: 5})
		s := m.onDevice(t, exec.Options{Workers: 2, Seed: 5})
		there := run{s, newOptimizer(), nil}
		there.trainer = m.trainer(t, s, there.opt, train.Options{Batch: 8, Seed: 3, ClipNorm: 0.5})
		for step := range 8 {
			batch := trees[step*6 : step*6+6]
			want, err := here.trainer.Step(t.Context(), batch)
			require.NoError(t, err)
			got, err := there.trainer.Step(t.Context(), batch)
			require.NoError(t, err)
			assert.InEpsilon(t, want.Loss, got.Loss, 1e-4, name)
			assert.InEpsilon(t, want.Norm, got.Norm, 1e-4, name)
		}
		for v, x := range values(here.session.Parameters()) {
			assert.InDeltaSlice(t, x, values(s.Parameters())[v], 1e-3, "%s: %s", name, v)
		}
	}
}

// Gradients are equal for any number of workers if that is asked for, so weights are.
func TestDeterministicTrainingOnDevices(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 50)
	var want map[string][]float32
	for _, workers := range []int{1, 2, 3} {
		r := newRunOn(t, m, train.NewAdam(0.01), exec.Options{Workers: workers, Seed: 5, Deterministic: true})
		r.steps(t, trees, 20)
		got := values(r.session.Parameters())
		if want == nil {
			want = got
		}
		assert.Equal(t, want, got, "%d workers", workers)
	}
}

func newRunOn(t testing.TB, m treeModel, opt train.Optimizer, o exec.Options) run {
	s := m.onDevice(t, o)
	return run{s, opt, m.trainer(t, s, opt, train.Options{Batch: 8, Seed: 3, ClipNorm: 0.5})}
}

// A checkpoint from a device gives, on another device of the kind, the bits of a run that
// was not interrupted, and on the processor the same up to rounding.
func TestCheckpointsMoveBetweenDevices(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 50)
	o := exec.Options{Workers: 2, Deterministic: true, Seed: 5}
	for name, newOptimizer := range optimizers() {
		path := filepath.Join(t.TempDir(), "half.safetensors")
		half := newRunOn(t, m, newOptimizer(), o)
		half.steps(t, trees, 10)
		require.NoError(t, train.Save(path, half.checkpoint()))
		half.steps(t, trees, 20)

		resumed := newRunOn(t, m, newOptimizer(), o)
		resumed.load(t, path)
		resumed.steps(t, trees, 20)
		assert.Equal(t, values(half.session.Parameters()), values(resumed.session.Parameters()), name)
		assert.Equal(t, half.state(t), resumed.state(t), name)
		assert.Equal(t, half.trainer.Progress(), resumed.trainer.Progress(), name)

		here := newRun(t, m, newOptimizer(), o)
		here.load(t, path)
		require.Equal(t, int64(10), here.state(t).Steps)
		here.steps(t, trees, 20)
		for v, x := range values(half.session.Parameters()) {
			assert.InDeltaSlice(t, x, values(here.session.Parameters())[v], 1e-3, "%s: %s", name, v)
		}
	}
}

// An optimiser goes on elsewhere with what it remembers: after its session was closed, on
// another device while the first is still there, and on the processor.
func TestOptimizersMoveBetweenDevices(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 12)
	for name, newOptimizer := range optimizers() {
		params := exec.NewParameters(m.program, 5)
		opt := newOptimizer()
		step := func(o exec.Options, then func(*train.Trainer[tree])) *exec.Session {
			o.Parameters, o.Workers = params, 1
			s, err := exec.New(m.program, o)
			require.NoError(t, err)
			tr := m.trainer(t, s, opt, train.Options{})
			_, err = tr.Step(t.Context(), trees)
			require.NoError(t, err)
			then(tr)
			return s
		}
		closed, open := strict(), strict()
		require.NoError(t, step(exec.Options{Device: closed}, func(*train.Trainer[tree]) {}).Close())
		require.Zero(t, closed.Held())
		first := step(exec.Options{Device: closed}, func(*train.Trainer[tree]) {})
		second := step(exec.Options{Device: open}, func(tr *train.Trainer[tree]) { require.NoError(t, tr.Release()) })
		third := step(exec.Options{}, func(*train.Trainer[tree]) {})
		fourth := step(exec.Options{Device: open}, func(*train.Trainer[tree]) {})
		for _, s := range []*exec.Session{first, second, third, fourth} {
			require.NoError(t, s.Close())
		}
		require.Zero(t, closed.Held())
		require.Zero(t, open.Held())

		want, wanted := exec.NewParameters(m.program, 5), newOptimizer()
		s := m.session(t, exec.Options{Parameters: want, Workers: 1})
		tr := m.trainer(t, s, wanted, train.Options{})
		for range 5 {
			require.NoError(t, tr.Resume(train.Progress{})) // as the new trainers above: dropout depends on it
			_, err := tr.Step(t.Context(), trees)
			require.NoError(t, err)
		}
		require.Equal(t, int64(5), stateOf(t, opt, params).Steps)
		for v, x := range values(want) {
			assert.InDeltaSlice(t, x, values(params)[v], 1e-3, "%s: %s", name, v)
		}
		for i, slot := range stateOf(t, wanted, want).Slots {
			assert.InDeltaSlice(t, slot.Values, stateOf(t, opt, params).Slots[i].Values, 1e-3, "%s: %s of %s", name, slot.Name, slot.Variable.Name)
		}
	}
}

// own is an optimiser of a user, who knows nothing of devices.
type own struct{ sgd *train.SGD }

func (o *own) Name() string                                        { return "own" }
func (o *own) Step(p *exec.Parameters, g *exec.Gradients) error    { return o.sgd.Step(p, g) }
func (o *own) State(p *exec.Parameters) (train.State, error)       { return o.sgd.State(p) }
func (o *own) Restore(p *exec.Parameters, state train.State) error { return o.sgd.Restore(p, state) }

func TestOptimizersWithoutAStepOnDevices(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 50)
	var all []map[string][]float32
	for _, opt := range []train.Optimizer{train.NewSGD(0.1), &own{train.NewSGD(0.1)}} {
		r := newRunOn(t, m, opt, exec.Options{Workers: 2, Deterministic: true, Seed: 5})
		r.steps(t, trees, 10)
		require.NoError(t, r.trainer.Snapshot())
		require.NoError(t, r.trainer.Release())
		all = append(all, values(r.session.Parameters()))
	}
	for v, x := range all[0] {
		assert.InDeltaSlice(t, x, all[1][v], 1e-5, v)
	}
}

// What the state is about is known: an optimiser that has been used on a device refuses
// variables of another program, as it does on the host.
func TestStateOnDevicesIsOfOneProgram(t *testing.T) {
	m, other := newTreeModel(t), newTreeModel(t)
	s := m.onDevice(t, exec.Options{Workers: 1})
	opt := train.NewAdam(0.1)
	require.NoError(t, opt.StepOnDevice(m.gradientsOnDevice(t, s, randomTrees(1, 3))))
	_, err := opt.State(exec.NewParameters(other.program, 1))
	require.ErrorIs(t, err, exec.ErrInput)
	so := other.onDevice(t, exec.Options{Workers: 1})
	require.ErrorIs(t, opt.StepOnDevice(other.gradientsOnDevice(t, so, randomTrees(1, 3))), exec.ErrInput)
	bad := train.NewAdam(-1)
	require.ErrorIs(t, bad.StepOnDevice(m.gradientsOnDevice(t, s, randomTrees(1, 3))), train.ErrSetting)
}

// A checkpoint is never written of old values: that the device has lost the newest is an
// error.
func TestSavingWhatIsLost(t *testing.T) {
	m := newTreeModel(t)
	d, unplug := unpluggable()
	s, err := exec.New(m.program, exec.Options{Workers: 1, Device: d})
	require.NoError(t, err)
	opt := train.NewAdam(0.1)
	tr := m.trainer(t, s, opt, train.Options{})
	_, err = tr.Step(t.Context(), randomTrees(1, 3))
	require.NoError(t, err)
	unplug()
	path := filepath.Join(t.TempDir(), "x.safetensors")
	require.ErrorIs(t, train.Save(path, &train.Checkpoint{Params: s.Parameters(), Optimizer: opt}), device.ErrLost)
	assert.NoFileExists(t, path)
	err = tr.Snapshot()
	require.ErrorIs(t, err, device.ErrLost)
	rolled, ok := errors.AsType[*train.RollbackError](err)
	require.True(t, ok)
	require.Zero(t, rolled.Step)
	require.NoError(t, train.Save(path, &train.Checkpoint{Params: s.Parameters(), Optimizer: opt}))
	_ = s.Close() // says that the device is lost, or nothing
	require.Zero(t, d.Held())
}
