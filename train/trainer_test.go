package train_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
)

// line is an example of y = w*x with the loss (w*x - y)².
type line struct{ X, Y float64 }

type lineModel struct {
	program *graph.Program
	f       *recursion.SubGraph[lineValues, graph.Value]
}

type lineValues struct{ X, Y graph.Value }

func newLineModel(t testing.TB) lineModel {
	m := graph.NewModule("line")
	w := m.Var("w", graph.F32(), graph.Zeros())
	f := recursion.Declare(m, "line", lineValues{graph.F32(), graph.F32()}, graph.F32())
	f.Define(func(in lineValues) graph.Value {
		y := ops.Mul(w, in.X)
		recursion.Loss(ops.Square(ops.Sub(y, in.Y)))
		return y
	})
	p, err := m.Build()
	require.NoError(t, err)
	return lineModel{p, f}
}

func (m lineModel) trainer(t testing.TB, opt train.Optimizer, o train.Options) (*train.Trainer[line], func() float64) {
	s, err := exec.New(m.program, exec.Options{})
	require.NoError(t, err)
	tr, err := train.NewTrainer[line](s, m.f, opt, o)
	require.NoError(t, err)
	return tr, func() float64 { return float64(s.Parameters().Value(m.program.Variables[0])[0]) }
}

func TestStepFollowsTheGradientOfTheMean(t *testing.T) {
	tr, w := newLineModel(t).trainer(t, train.NewSGD(0.1), train.Options{})
	stats, err := tr.Step(t.Context(), []line{{1, 2}, {2, 8}})
	require.NoError(t, err)
	// With w = 0 the losses are 4 and 64, their derivatives -2xy = -4 and -32.
	assert.Equal(t, train.StepStats{Step: 1, Examples: 2, Loss: 68, Norm: 18}, stats)
	assert.InDelta(t, 1.8, w(), 1e-6)
	assert.Equal(t, train.Progress{Steps: 1, Seen: 2}, tr.Progress())
}

func TestStepClips(t *testing.T) {
	tr, w := newLineModel(t).trainer(t, train.NewSGD(0.1), train.Options{ClipNorm: 2})
	stats, err := tr.Step(t.Context(), []line{{1, 2}, {2, 8}})
	require.NoError(t, err)
	assert.Equal(t, 18.0, stats.Norm, "the norm is that before clipping")
	assert.InDelta(t, 0.2, w(), 1e-6)
}

// late is an optimiser whose learning rate becomes wrong when training has begun.
type late struct{ *train.SGD }

func (o *late) Step(p *exec.Parameters, g *exec.Gradients) error {
	o.LearningRate = -1
	return o.SGD.Step(p, g)
}

func TestStepErrorsChangeNothing(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		opt   train.Optimizer
		batch []line
		want  error
	}{
		"no examples":     {t.Context(), train.NewSGD(0.1), nil, train.ErrNoExamples},
		"infinite loss":   {t.Context(), train.NewSGD(0.1), []line{{1, 1}, {1, 1e30}}, exec.ErrNonFinite},
		"not a number":    {t.Context(), train.NewSGD(0.1), []line{{math.NaN(), 1}}, exec.ErrNonFinite},
		"canceled":        {canceled, train.NewSGD(0.1), []line{{1, 1}}, context.Canceled},
		"a wrong setting": {t.Context(), &late{train.NewSGD(0.1)}, []line{{1, 1}}, train.ErrSetting},
	} {
		tr, w := newLineModel(t).trainer(t, c.opt, train.Options{})
		_, err := tr.Step(c.ctx, c.batch)
		require.ErrorIs(t, err, c.want, name)
		assert.ErrorContains(t, err, "step 1: ", name)
		assert.Zero(t, w(), name)
		assert.Equal(t, train.Progress{}, tr.Progress(), name)
	}
}

func TestTrainerRefusesWrongOptionsAndExamples(t *testing.T) {
	m := newLineModel(t)
	s, err := exec.New(m.program, exec.Options{})
	require.NoError(t, err)
	_, err = train.NewTrainer[struct{ X string }](s, m.f, train.NewSGD(1), train.Options{Batch: -1, ClipNorm: -2, SnapshotEvery: -3})
	require.ErrorIs(t, err, train.ErrSetting)
	require.ErrorIs(t, err, exec.ErrInput)
	for _, want := range []string{"Batch is -1", "ClipNorm is -2", "SnapshotEvery is -3", "no field Y", "string cannot hold f32"} {
		assert.ErrorContains(t, err, want)
	}
}

// Every epoch uses every example once, in an order of its own that the seed decides.
func TestEpochsShuffle(t *testing.T) {
	examples := make([]line, 10)
	for i := range examples {
		examples[i].X = float64(i)
	}
	order := func(seed uint64, epoch int) []line {
		tr, _ := newLineModel(t).trainer(t, train.NewSGD(0), train.Options{Seed: seed})
		return slices.Collect(tr.Shuffled(examples)(epoch))
	}
	first := order(1, 0)
	assert.ElementsMatch(t, examples, first)
	assert.NotEqual(t, examples, first)
	assert.Equal(t, first, order(1, 0))
	assert.NotEqual(t, first, order(1, 1))
	assert.NotEqual(t, first, order(2, 0))
}

func TestEpochStatistics(t *testing.T) {
	tr, _ := newLineModel(t).trainer(t, train.NewSGD(0), train.Options{Batch: 4})
	var sizes []int
	stats, err := tr.Epoch(t.Context(), slices.Values([]line{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}}), func(s train.StepStats) error {
		sizes = append(sizes, s.Examples)
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []int{4, 2}, sizes)
	assert.Equal(t, 6, stats.Examples)
	assert.Equal(t, 1, stats.Epoch)
	assert.InDelta(t, (1+4+9+16+25+36)/6.0, stats.Loss, 1e-6)
	assert.Positive(t, stats.Rate())
	assert.Equal(t, int64(6), stats.Exec.Runs)
	assert.Equal(t, train.Progress{Steps: 2, Seen: 6, Epoch: 1}, tr.Progress())

	_, err = tr.Epoch(t.Context(), slices.Values([]line{}), nil)
	require.ErrorIs(t, err, train.ErrNoExamples)
}

func TestFitLearns(t *testing.T) {
	m := newTreeModel(t)
	s := m.session(t, exec.Options{})
	tr := m.trainer(t, s, train.NewAdam(0.02), train.Options{Batch: 20, Seed: 1})
	trees, dev := randomTrees(1, 400), randomTrees(2, 100)
	accuracy := func(ctx context.Context) (float64, error) {
		right := 0
		_, err := train.Evaluate(ctx, s, m.classify, slices.Values(dev), 32, func(x tree, o train.Outcome) {
			logits := o.Outputs[0].F
			if int32(slices.Index(logits, slices.Max(logits))) == x.Label[len(x.Label)-1] {
				right++
			}
		})
		return float64(right) / float64(len(dev)), err
	}
	before, err := accuracy(t.Context())
	require.NoError(t, err)
	require.Less(t, before, 0.6)
	var losses []float64
	require.NoError(t, tr.Fit(t.Context(), tr.Shuffled(trees), train.Plan{Epochs: 8, Evaluate: accuracy, OnEpoch: func(e train.EpochStats) error {
		losses = append(losses, e.Loss)
		return nil
	}}))
	assert.Greater(t, tr.Progress().Best, 0.9)
	assert.Less(t, losses[7], losses[0]/2)
}

func TestFitStopsEarly(t *testing.T) {
	tr, _ := newLineModel(t).trainer(t, train.NewSGD(0), train.Options{})
	scores := []float64{1, 3, 2, 3, 3, 9}
	var best []bool
	plan := train.Plan{
		Epochs: len(scores), Patience: 3,
		Evaluate: func(context.Context) (float64, error) { return scores[tr.Progress().Epoch], nil },
		OnEpoch: func(e train.EpochStats) error {
			assert.Equal(t, scores[e.Epoch-1], e.Score)
			best = append(best, e.Best)
			return nil
		},
	}
	require.NoError(t, tr.Fit(t.Context(), tr.Shuffled([]line{{1, 1}}), plan))
	assert.Equal(t, []bool{true, true, false, false, false}, best, "the best score was in epoch 2, patience ends after 3 more")
	assert.Equal(t, 2, tr.Progress().BestEpoch)
	assert.Equal(t, 3.0, tr.Progress().Best)

	plan.Patience = 0
	require.NoError(t, tr.Fit(t.Context(), tr.Shuffled([]line{{1, 1}}), plan))
	assert.Equal(t, 6, tr.Progress().BestEpoch, "without patience it goes on")
}

func TestFitReportsErrorsOfItsFunctions(t *testing.T) {
	mine := errors.New("mine")
	nan := func(context.Context) (float64, error) { return math.NaN(), nil }
	for _, c := range []struct {
		plan train.Plan
		want error
	}{
		{train.Plan{Evaluate: func(context.Context) (float64, error) { return 0, mine }}, mine},
		{train.Plan{Evaluate: nan}, exec.ErrNonFinite},
		{train.Plan{OnEpoch: func(train.EpochStats) error { return mine }}, mine},
		{train.Plan{OnStep: func(train.StepStats) error { return mine }}, mine},
	} {
		tr, _ := newLineModel(t).trainer(t, train.NewSGD(0), train.Options{})
		c.plan.Epochs = 2
		err := tr.Fit(t.Context(), tr.Shuffled([]line{{1, 1}}), c.plan)
		require.ErrorIs(t, err, c.want)
		assert.ErrorContains(t, err, "epoch 1: ")
	}
}

// A source need not be a slice.
func TestFitOnAStream(t *testing.T) {
	tr, w := newLineModel(t).trainer(t, train.NewAdagrad(0.5), train.Options{Batch: 3})
	stream := func(epoch int) iter.Seq[line] {
		return func(yield func(line) bool) {
			for i := range 20 {
				x := float64(1 + (i+epoch)%5)
				if !yield(line{x, 3 * x}) {
					return
				}
			}
		}
	}
	require.NoError(t, tr.Fit(t.Context(), stream, train.Plan{Epochs: 20}))
	assert.InDelta(t, 3, w(), 0.05)
}

func TestEvaluate(t *testing.T) {
	m := newLineModel(t)
	s, err := exec.New(m.program, exec.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Parameters().Set(m.program.Variables[0], []float32{2}))
	var seen []line
	loss, err := train.Evaluate(t.Context(), s, m.f, slices.Values([]line{{1, 1}, {2, 2}, {3, 3}}), 2, func(x line, o train.Outcome) {
		seen = append(seen, x)
		assert.InDelta(t, 2*x.X, o.Outputs[0].F[0], 1e-6)
		assert.InDelta(t, x.X*x.X, o.Loss, 1e-6)
	})
	require.NoError(t, err)
	assert.InDelta(t, 14.0/3, loss, 1e-6)
	assert.Equal(t, []line{{1, 1}, {2, 2}, {3, 3}}, seen)

	_, err = train.Evaluate(t.Context(), s, m.f, slices.Values([]line{}), 2, func(line, train.Outcome) {})
	require.ErrorIs(t, err, train.ErrNoExamples)
	_, err = train.Evaluate(t.Context(), s, m.f, slices.Values([]line{}), 0, func(line, train.Outcome) {})
	require.ErrorIs(t, err, train.ErrSetting)
}

func TestResumeRefusesNonsense(t *testing.T) {
	tr, _ := newLineModel(t).trainer(t, train.NewSGD(0), train.Options{Seed: 4})
	for _, p := range []train.Progress{{Steps: -1}, {Seen: -1}, {Epoch: -1}, {Position: -1}, {BestEpoch: -1}, {Epoch: 1, BestEpoch: 2}} {
		require.ErrorIs(t, tr.Resume(p), train.ErrMismatch)
	}
	assert.Equal(t, train.Progress{Seed: 4}, tr.Progress())
}
