package train_test

import (
	"maps"
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

// definition follows one weight in double precision by the formulas of the papers.
type definition func(w, g float64, t int, s *[2]float64) float64

var definitions = map[string]definition{
	"sgd": func(w, g float64, _ int, _ *[2]float64) float64 { return w - 0.1*g },
	"momentum": func(w, g float64, _ int, s *[2]float64) float64 {
		s[0] = 0.9*s[0] + g
		return w - 0.05*s[0]
	},
	"adagrad": func(w, g float64, _ int, s *[2]float64) float64 {
		s[0] += g * g
		return w - 0.05*g/(math.Sqrt(s[0])+1e-8)
	},
	"adam": func(w, g float64, t int, s *[2]float64) float64 {
		s[0] = 0.9*s[0] + 0.1*g
		s[1] = 0.999*s[1] + 0.001*g*g
		m, v := s[0]/(1-math.Pow(0.9, float64(t))), s[1]/(1-math.Pow(0.999, float64(t)))
		return w - 0.01*m/(math.Sqrt(v)+1e-8)
	},
}

// Every optimiser, with and without L2, follows its definition: in every element of
// every variable, over steps in which most rows of E have no gradient.
func TestOptimizersFollowTheirDefinitions(t *testing.T) {
	m := newTreeModel(t)
	for name, newOptimizer := range optimizers() {
		def, l2 := definitions[name], 0.0
		if def == nil {
			def, l2 = definitions[name[:len(name)-len(" l2")]], 0.01
		}
		s := m.session(t, exec.Options{Workers: 1})
		opt := newOptimizer()
		want := map[string][]float64{}
		state := map[string][][2]float64{}
		for name, w := range values(s.Parameters()) {
			for _, x := range w {
				want[name] = append(want[name], float64(x))
			}
			state[name] = slices.Repeat([][2]float64{{}}, len(w))
		}
		for step := range 8 {
			grads := m.gradients(t, s, randomTrees(uint64(step), 2))
			grads.Each(func(g *exec.Gradient) {
				w := want[g.Variable.Name]
				for i, x := range g.Full() {
					w[i] = def(w[i], float64(x)+l2*w[i], step+1, &state[g.Variable.Name][i])
				}
			})
			require.NoError(t, opt.Step(s.Parameters(), grads))
		}
		for variable, got := range values(s.Parameters()) {
			for i, x := range got {
				require.InDelta(t, want[variable][i], x, 2e-4, "%s: %s[%d]", name, variable, i)
			}
		}
	}
}

// A sparse gradient and the same gradient with all its zeros give the same weights,
// bit for bit, after every step.
func TestSparseEqualsDense(t *testing.T) {
	m := newTreeModel(t)
	embedding := m.variable("E")
	for name, newOptimizer := range optimizers() {
		t.Run(name, func(t *testing.T) {
			sparse, dense := m.session(t, exec.Options{Workers: 1, Seed: 7}), m.session(t, exec.Options{Workers: 1, Seed: 7})
			a, b := newOptimizer(), newOptimizer()
			for step := range 50 {
				trees := randomTrees(uint64(step), 2)
				if step%5 == 4 {
					trees = []tree{leaf(3), leaf(8)} // W and b have no gradient
				}
				g := m.gradients(t, sparse, trees)
				require.Nil(t, g.Of(embedding).Dense, "the gradient is not sparse: the test tests nothing")
				require.Less(t, len(g.Of(embedding).Rows), vocab)
				require.NoError(t, a.Step(sparse.Parameters(), g))

				g = m.gradients(t, dense, trees)
				g.Each(func(g *exec.Gradient) {
					if g.Dense == nil {
						full := make([]float32, dense.Parameters().Layout(g.Variable).Size())
						dense.Parameters().Layout(g.Variable).Store(full, g.Full())
						g.Dense, g.Rows, g.Values = full, nil, nil
					}
				})
				require.NoError(t, b.Step(dense.Parameters(), g))
				require.Equal(t, values(dense.Parameters()), values(sparse.Parameters()), "step %d", step)
			}
		})
	}
}

// With LazyRows a step leaves rows without gradient alone.
func TestLazyRowsChangeOnlyUsedRows(t *testing.T) {
	m := newTreeModel(t)
	embedding := m.variable("E")
	for name, newOptimizer := range optimizers() {
		s := m.session(t, exec.Options{Workers: 1})
		opt := lazy(newOptimizer())
		for step := range 5 {
			before := s.Parameters().Value(embedding)
			g := m.gradients(t, s, randomTrees(uint64(step), 2))
			used := slices.Clone(g.Of(embedding).Rows)
			require.NoError(t, opt.Step(s.Parameters(), g))
			after := s.Parameters().Value(embedding)
			for row := range int32(vocab) {
				from, to := row*hidden, (row+1)*hidden
				assert.Equal(t, !slices.Contains(used, row), slices.Equal(before[from:to], after[from:to]), "%s: step %d, row %d", name, step, row)
			}
		}
	}
}

// Where a gradient is zero nothing moves: LazyRows changes nothing for plain gradient
// descent and Adagrad, and does for the others.
func TestLazyRowsDifferOnlyWhereTheDocumentationSaysSo(t *testing.T) {
	m := newTreeModel(t)
	for name, newOptimizer := range optimizers() {
		run := func(opt train.Optimizer) map[string][]float32 {
			s := m.session(t, exec.Options{Workers: 1})
			for step := range 5 {
				require.NoError(t, opt.Step(s.Parameters(), m.gradients(t, s, randomTrees(uint64(step), 2))))
			}
			return values(s.Parameters())
		}
		exact, lazy := run(newOptimizer()), run(lazy(newOptimizer()))
		if name == "sgd" || name == "adagrad" {
			assert.Equal(t, exact, lazy, name)
		} else {
			assert.NotEqual(t, exact, lazy, name)
		}
	}
}

func TestFrozenVariablesStay(t *testing.T) {
	type in struct{ X graph.Value }
	m := graph.NewModule("frozen")
	w := m.Var("w", graph.F32(2), graph.Constant(1))
	frozen := m.Var("frozen", graph.F32(2), graph.Constant(1))
	f := recursion.Declare(m, "f", in{graph.F32(2)}, graph.F32())
	f.Define(func(x in) graph.Value {
		y := ops.Dot(ops.Mul(w, frozen), x.X)
		recursion.Loss(y)
		return y
	})
	m.Freeze(frozen)
	p, err := m.Build()
	require.NoError(t, err)
	s, err := exec.New(p, exec.Options{})
	require.NoError(t, err)
	tr, err := train.NewTrainer[struct{ X []float32 }](s, f, &train.SGD{LearningRate: 0.5, L2: 0.1, Momentum: 0.5}, train.Options{})
	require.NoError(t, err)
	for range 3 {
		_, err = tr.Step(t.Context(), []struct{ X []float32 }{{[]float32{1, 2}}})
		require.NoError(t, err)
	}
	assert.Equal(t, []float32{1, 1}, s.Parameters().Value(p.Variable("frozen")))
	assert.NotEqual(t, []float32{1, 1}, s.Parameters().Value(p.Variable("w")))
}

func TestSettingsOutOfRange(t *testing.T) {
	m := newTreeModel(t)
	s := m.session(t, exec.Options{})
	before := values(s.Parameters())
	grads := m.gradients(t, s, randomTrees(1, 1))
	for _, c := range []struct {
		opt  train.Optimizer
		want []string
	}{
		{train.NewSGD(-1), []string{"sgd: bad setting: LearningRate is -1, want at least 0"}},
		{&train.SGD{LearningRate: math.Inf(1), Momentum: 1, L2: math.NaN()}, []string{"LearningRate is +Inf", "Momentum is 1, want at least 0 and below 1", "L2 is NaN"}},
		{&train.Adagrad{LearningRate: 1}, []string{"adagrad: bad setting: Epsilon is 0, want above 0"}},
		{&train.Adam{Beta1: -0.1, Beta2: 1.5, Epsilon: 1}, []string{"Beta1 is -0.1", "Beta2 is 1.5"}},
	} {
		err := c.opt.Step(s.Parameters(), grads)
		require.ErrorIs(t, err, train.ErrSetting)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want)
		}
	}
	assert.Equal(t, before, values(s.Parameters()))
}

func TestGradientsOfAnotherProgram(t *testing.T) {
	a, b := newTreeModel(t), newTreeModel(t)
	s := a.session(t, exec.Options{})
	other := exec.NewParameters(b.program, 0)
	before := values(other)
	err := train.NewAdam(0.1).Step(other, a.gradients(t, s, randomTrees(1, 1)))
	require.ErrorIs(t, err, exec.ErrInput)
	assert.ErrorContains(t, err, "of another program")
	assert.Equal(t, before, values(other))
}

func TestStateRoundTrip(t *testing.T) {
	m := newTreeModel(t)
	for name, newOptimizer := range optimizers() {
		s := m.session(t, exec.Options{Workers: 1})
		a, b := newOptimizer(), newOptimizer()
		for step := range 3 {
			require.NoError(t, a.Step(s.Parameters(), m.gradients(t, s, randomTrees(uint64(step), 2))))
		}
		params := s.Parameters()
		require.NoError(t, b.Restore(params, stateOf(t, a, params)))
		assert.Equal(t, stateOf(t, a, params), stateOf(t, b, params), name)
		require.Equal(t, int64(3), stateOf(t, b, params).Steps)

		// The copy is one: the original goes on without it.
		before := maps.Collect(slots(stateOf(t, b, params)))
		require.NoError(t, a.Step(s.Parameters(), m.gradients(t, s, randomTrees(9, 2))))
		assert.Equal(t, before, maps.Collect(slots(stateOf(t, b, params))), name)
	}
}

// slots copies the values of all slots.
func slots(s train.State) func(yield func(string, []float32) bool) {
	return func(yield func(string, []float32) bool) {
		for _, x := range s.Slots {
			if !yield(x.Name+" "+x.Variable.Name, slices.Clone(x.Values)) {
				return
			}
		}
	}
}

func TestRestoreRefusesWhatDoesNotFit(t *testing.T) {
	m := newTreeModel(t)
	params := exec.NewParameters(m.program, 1)
	e := m.variable("b")
	values := make([]float32, hidden)
	for _, c := range []struct {
		state train.State
		want  string
	}{
		{train.State{Slots: []train.Slot{{"mean", e, values}}}, `slot "square" of variable b is missing`},
		{train.State{Slots: []train.Slot{{"mean", e, values[1:]}, {"square", e, values}}}, "has 5 values"},
		{train.State{Slots: []train.Slot{{"sum", e, values}}}, `slot "sum" of variable b`},
		{train.State{Steps: -1}, "-1 steps"},
	} {
		opt := train.NewAdam(0.1)
		err := opt.Restore(params, c.state)
		require.ErrorIs(t, err, train.ErrMismatch)
		assert.ErrorContains(t, err, c.want)
		assert.Zero(t, stateOf(t, opt, params).Steps)
	}
}
