package train_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/train"
)

// Optimisers of a user, who changes what Step does and nothing else.
type (
	countingSGD struct {
		*train.SGD
		steps int
	}
	countingAdagrad struct {
		*train.Adagrad
		steps int
	}
	countingAdam struct {
		*train.Adam
		steps int
	}
	// countingAny embeds the interface, and is no pointer and not comparable.
	countingAny struct {
		train.DeviceOptimizer
		steps []int
	}
)

func (o *countingSGD) Step(p *exec.Parameters, g *exec.Gradients) error {
	o.steps++
	return o.SGD.Step(p, g)
}

func (o *countingAdagrad) Step(p *exec.Parameters, g *exec.Gradients) error {
	o.steps++
	return o.Adagrad.Step(p, g)
}

func (o *countingAdam) Step(p *exec.Parameters, g *exec.Gradients) error {
	o.steps++
	return o.Adam.Step(p, g)
}

func (o countingAny) Step(p *exec.Parameters, g *exec.Gradients) error {
	o.steps[0]++
	return o.DeviceOptimizer.Step(p, g)
}

func (o countingAny) Self() train.Optimizer { return o }

// An optimiser that embeds another and has a Step of its own makes that step on a device,
// too, and its state is what the steps left, whoever made them.
func TestStepsOfEmbeddingOptimizersAreMade(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 50)
	o := exec.Options{Workers: 2, Deterministic: true, Seed: 5}
	for name, c := range map[string]struct {
		newInner func() train.DeviceOptimizer
		embed    func(train.DeviceOptimizer) (_ train.Optimizer, steps func() int)
	}{
		"sgd": {func() train.DeviceOptimizer { return &train.SGD{LearningRate: 0.1, Momentum: 0.5} }, func(in train.DeviceOptimizer) (train.Optimizer, func() int) {
			o := &countingSGD{in.(*train.SGD), 0}
			return o, func() int { return o.steps }
		}},
		"adagrad": {func() train.DeviceOptimizer { return train.NewAdagrad(0.05) }, func(in train.DeviceOptimizer) (train.Optimizer, func() int) {
			o := &countingAdagrad{in.(*train.Adagrad), 0}
			return o, func() int { return o.steps }
		}},
		"adam": {func() train.DeviceOptimizer { return train.NewAdam(0.01) }, func(in train.DeviceOptimizer) (train.Optimizer, func() int) {
			o := &countingAdam{in.(*train.Adam), 0}
			return o, func() int { return o.steps }
		}},
	} {
		want := newRunOn(t, m, c.newInner(), o)
		want.steps(t, trees, 10)

		in := c.newInner()
		first := newRunOn(t, m, in, o)
		first.steps(t, trees, 4) // on the device, where its state stays
		opt, steps := c.embed(in)
		tr, err := train.NewTrainer[tree](first.session, m.classify, opt, train.Options{Batch: 8, Seed: 3, ClipNorm: 0.5})
		require.NoError(t, err)
		require.NoError(t, tr.Resume(first.trainer.Progress()))
		second := run{first.session, opt, tr}
		second.steps(t, trees, 7)
		require.Equal(t, 3, steps(), name)
		path := filepath.Join(t.TempDir(), "x.safetensors")
		require.NoError(t, train.Save(path, second.checkpoint()))

		opt, steps = c.embed(c.newInner())
		third := newRunOn(t, m, opt, o)
		third.load(t, path)
		require.Equal(t, second.state(t), third.state(t), name)
		third.steps(t, trees, 10)
		require.Equal(t, 3, steps(), name)
		require.Equal(t, int64(10), third.state(t).Steps, name)
		for v, x := range values(want.session.Parameters()) {
			assert.InDeltaSlice(t, x, values(third.session.Parameters())[v], 1e-3, "%s: %s", name, v)
		}
		for i, slot := range want.state(t).Slots {
			assert.InDeltaSlice(t, slot.Values, third.state(t).Slots[i].Values, 1e-3, "%s: %s of %s", name, slot.Name, slot.Variable.Name)
		}
	}
}

// Self of a type that cannot be compared is no reason to panic.
func TestOptimizersThatCannotBeCompared(t *testing.T) {
	m := newTreeModel(t)
	opt := countingAny{train.NewAdam(0.01), []int{0}}
	r := newRunOn(t, m, opt, exec.Options{Workers: 1, Seed: 5})
	_, err := r.trainer.Step(t.Context(), randomTrees(1, 8))
	require.NoError(t, err)
	require.Equal(t, []int{1}, opt.steps)
	require.Equal(t, int64(1), r.state(t).Steps)
}
