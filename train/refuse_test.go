package train_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"path/filepath"
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

func lineSession(t testing.TB) (lineModel, *exec.Session) {
	t.Helper()
	m := newLineModel(t)
	s, err := exec.New(m.program, exec.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return m, s
}

func TestTrainerRefusesWhatIsNil(t *testing.T) {
	m, s := lineSession(t)
	sgd := train.NewSGD(1)
	for what, c := range map[string]struct {
		session   *exec.Session
		f         *recursion.SubGraph[lineValues, graph.Value]
		optimizer train.Optimizer
	}{
		"the session is nil":                {nil, m.f, sgd},
		"the program of the session is nil": {&exec.Session{}, m.f, sgd},
		"the subgraph is nil":               {s, nil, sgd},
		"the graph of the subgraph is nil":  {s, new(recursion.SubGraph[lineValues, graph.Value]), sgd},
		"the optimiser is nil":              {s, m.f, nil},
		"bad setting: the optimiser is nil": {s, m.f, (*train.Adam)(nil)},
	} {
		tr, err := train.NewTrainer[line](c.session, c.f, c.optimizer, train.Options{})
		require.ErrorIs(t, err, train.ErrSetting, what)
		assert.ErrorContains(t, err, what)
		assert.Nil(t, tr)
	}
	_, err := train.NewTrainer[line](nil, m.f, nil, train.Options{Batch: -1})
	for _, want := range []string{"session is nil", "optimiser is nil", "Batch is -1"} {
		assert.ErrorContains(t, err, want, "all mistakes are reported at once")
	}
}

func TestTrainerChecksSettingsOfTheOptimizer(t *testing.T) {
	m, s := lineSession(t)
	for want, o := range map[string]train.Optimizer{
		"sgd: bad setting: LearningRate is NaN":      train.NewSGD(math.NaN()),
		"sgd: bad setting: LearningRate is 1e+300":   train.NewSGD(1e300),
		"sgd: bad setting: Momentum is 1":            &train.SGD{LearningRate: 1, Momentum: 1},
		"adam: bad setting: Epsilon is 0":            &train.Adam{},
		"adam: bad setting: Beta2 is 0.999999999999": &train.Adam{Epsilon: 1e-8, Beta2: 0.999999999999},
		"adagrad: bad setting: L2 is -1":             &train.Adagrad{Epsilon: 1e-8, L2: -1},
	} {
		_, err := train.NewTrainer[line](s, m.f, o, train.Options{})
		require.ErrorIs(t, err, train.ErrSetting, want)
		assert.ErrorContains(t, err, want)
	}
	_, err := train.NewTrainer[line](s, m.f, train.NewSGD(0), train.Options{ClipNorm: math.NaN()})
	assert.ErrorContains(t, err, "ClipNorm is NaN")
}

func TestTrainerRefusesAGraphOfAnotherProgram(t *testing.T) {
	_, s := lineSession(t)
	other := newLineModel(t)
	_, err := train.NewTrainer[line](s, other.f, train.NewSGD(1), train.Options{})
	require.ErrorIs(t, err, exec.ErrInput)
	assert.ErrorContains(t, err, `not a graph that program "line" declares at module level`)
}

// inner is declared in the body of f, so it is no entry, though it has a loss; through
// it, and through itself, f has one.
func TestLossesAreLookedForInWhatIsInvoked(t *testing.T) {
	m := graph.NewModule("nested")
	w := m.Var("w", graph.F32(), graph.Zeros())
	var inner *recursion.SubGraph[graph.Value, graph.Value]
	f := recursion.Declare(m, "f", graph.F32(), graph.F32())
	f.Define(func(x graph.Value) graph.Value {
		inner = recursion.Declare(m, "inner", graph.F32(), graph.F32())
		inner.Define(func(y graph.Value) graph.Value {
			z := ops.Mul(w, y)
			recursion.Loss(ops.Square(z))
			return z
		})
		return inner.Invoke(x)
	})
	loop := recursion.Declare(m, "loop", graph.I32(), graph.F32())
	loop.Define(func(n graph.Value) graph.Value {
		return recursion.If(ops.Less(n, m.Int(1)), func() graph.Value { return w }, func() graph.Value { return loop.Invoke(ops.Sub(n, m.Int(1))) })
	})
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, exec.Options{})
	require.NoError(t, err)
	defer s.Close()

	_, err = train.NewTrainer[float64](s, f, train.NewSGD(1), train.Options{})
	require.NoError(t, err)
	_, err = train.NewTrainer[float64](s, inner, train.NewSGD(1), train.Options{})
	require.ErrorIs(t, err, exec.ErrInput)
	_, err = train.NewTrainer[int](s, loop, train.NewSGD(1), train.Options{})
	require.ErrorIs(t, err, train.ErrNoLoss)
	assert.ErrorContains(t, err, "nothing to minimise: neither loop")
}

func TestFitRefusesPlansThatCannotBeMeant(t *testing.T) {
	tr, _ := newLineModel(t).trainer(t, train.NewSGD(0), train.Options{})
	source := tr.Shuffled([]line{{1, 1}})
	score := func(context.Context) (float64, error) { return 0, errors.New("not to be called") }
	for want, c := range map[string]struct {
		source train.Source[line]
		plan   train.Plan
	}{
		"the source is nil":               {nil, train.Plan{Epochs: 1}},
		"Epochs is -1":                    {source, train.Plan{Epochs: -1}},
		"Patience is -2":                  {source, train.Plan{Epochs: 1, Patience: -2, Evaluate: score}},
		"Patience is 2 without Evaluate":  {source, train.Plan{Epochs: 1, Patience: 2}},
		"the sequence of examples is nil": {func(int) iter.Seq[line] { return nil }, train.Plan{Epochs: 1}},
	} {
		err := tr.Fit(t.Context(), c.source, c.plan)
		require.ErrorIs(t, err, train.ErrSetting, want)
		assert.ErrorContains(t, err, want)
		assert.Equal(t, train.Progress{}, tr.Progress(), want)
	}
	require.NoError(t, tr.Fit(t.Context(), source, train.Plan{}), "no epochs are no mistake")
}

func TestEvaluateRefusesWhatIsNil(t *testing.T) {
	m, s := lineSession(t)
	examples := slices.Values([]line{{1, 1}})
	visit := func(line, train.Outcome) {}
	for want, evaluate := range map[string]func() (float64, error){
		"the session is nil":              func() (float64, error) { return train.Evaluate(t.Context(), nil, m.f, examples, 1, visit) },
		"the sequence of examples is nil": func() (float64, error) { return train.Evaluate(t.Context(), s, m.f, nil, 1, visit) },
		"the function visit is nil":       func() (float64, error) { return train.Evaluate(t.Context(), s, m.f, examples, 1, nil) },
		"the subgraph is nil": func() (float64, error) {
			return train.Evaluate(t.Context(), s, (*recursion.SubGraph[lineValues, graph.Value])(nil), examples, 1, visit)
		},
	} {
		_, err := evaluate()
		require.ErrorIs(t, err, train.ErrSetting, want)
		assert.ErrorContains(t, err, want)
	}
}

func TestCheckpointsRefuseWhatIsNil(t *testing.T) {
	m := newLineModel(t)
	params := exec.NewParameters(m.program, 1)
	path := filepath.Join(t.TempDir(), "x")
	for want, c := range map[string]*train.Checkpoint{
		"the checkpoint is nil":                        nil,
		"the field Params of the checkpoint is nil":    {Optimizer: train.NewSGD(1)},
		"the program of the parameters is nil":         {Params: &exec.Parameters{}, Optimizer: train.NewSGD(1)},
		"the field Optimizer of the checkpoint is nil": {Params: params, Optimizer: (*train.SGD)(nil)},
	} {
		err := train.Save(path, c)
		require.ErrorIs(t, err, train.ErrSetting, want)
		assert.ErrorContains(t, err, want)
		assert.NoFileExists(t, path)
	}
	require.NoError(t, train.Save(path, &train.Checkpoint{Params: params, Optimizer: train.NewSGD(1), Progress: &train.Progress{Steps: 3}}))
	f, err := train.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var p train.Progress
	for want, c := range map[string]*train.Checkpoint{
		"the checkpoint is nil":                        nil,
		"the field Params of the checkpoint is nil":    {Optimizer: train.NewSGD(1), Progress: &p},
		"the program of the parameters is nil":         {Params: &exec.Parameters{}, Progress: &p},
		"the field Optimizer of the checkpoint is nil": {Params: params, Optimizer: (*train.SGD)(nil), Progress: &p},
	} {
		err := f.Load(c)
		require.ErrorIs(t, err, train.ErrSetting, want)
		assert.ErrorContains(t, err, want)
		assert.Zero(t, p, "nothing has changed")
	}
	require.NoError(t, f.Load(&train.Checkpoint{Progress: &p}), "progress needs no parameters")
	assert.EqualValues(t, 3, p.Steps)
}
