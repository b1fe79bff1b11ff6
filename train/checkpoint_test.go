package train_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
	"github.com/frondml/frond/train"
	"github.com/frondml/frond/train/safetensors"
)

// run is a training run with everything that a checkpoint holds.
type run struct {
	session *exec.Session
	opt     train.Optimizer
	trainer *train.Trainer[tree]
}

func newRun(t testing.TB, m treeModel, opt train.Optimizer, o exec.Options) run {
	s := m.session(t, o)
	return run{s, opt, m.trainer(t, s, opt, train.Options{Batch: 8, Seed: 3, ClipNorm: 0.5})}
}

func (r run) state(t testing.TB) train.State { return stateOf(t, r.opt, r.session.Parameters()) }

func (r run) checkpoint() *train.Checkpoint {
	p := r.trainer.Progress()
	return &train.Checkpoint{Params: r.session.Parameters(), Optimizer: r.opt, Progress: &p}
}

// load puts the file at path into the run.
func (r run) load(t testing.TB, path string) {
	t.Helper()
	f, err := train.Open(path)
	require.NoError(t, err)
	c := r.checkpoint()
	require.NoError(t, f.Load(c))
	require.NoError(t, f.Close())
	require.NoError(t, r.trainer.Resume(*c.Progress))
}

// steps trains until there are n steps in all. Three epochs are 21 steps.
func (r run) steps(t testing.TB, trees []tree, n int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := r.trainer.Fit(ctx, r.trainer.Shuffled(trees), train.Plan{Epochs: 3, OnStep: func(s train.StepStats) error {
		if s.Step == n {
			cancel()
		}
		return nil
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, n, r.trainer.Progress().Steps)
}

// 10 steps, a checkpoint and 10 steps give the bits of 20 steps: weights, optimiser
// and progress, with dropout, shuffling, clipping, a small last batch, and the
// interruption in the middle of an epoch.
func TestResumedRunEqualsUninterruptedOne(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 50)
	for name, newOptimizer := range optimizers() {
		for _, o := range []exec.Options{{Workers: 1, Seed: 5}, {Workers: 2, Seed: 5}, {Workers: 3, Deterministic: true, Seed: 5}} {
			t.Run(name, func(t *testing.T) {
				whole := newRun(t, m, newOptimizer(), o)
				whole.steps(t, trees, 20)

				path := filepath.Join(t.TempDir(), "half.safetensors")
				half := newRun(t, m, newOptimizer(), o)
				half.steps(t, trees, 10)
				require.Positive(t, half.trainer.Progress().Position, "this was to be in the middle of an epoch")
				require.NoError(t, train.Save(path, half.checkpoint()))

				o.Seed = 99 // other initial weights, which loading replaces
				resumed := newRun(t, m, newOptimizer(), o)
				resumed.load(t, path)
				resumed.steps(t, trees, 20)

				assert.Equal(t, values(whole.session.Parameters()), values(resumed.session.Parameters()))
				assert.Equal(t, whole.state(t), resumed.state(t))
				assert.Equal(t, whole.trainer.Progress(), resumed.trainer.Progress())
			})
		}
	}
}

// The test above would prove nothing if these did not matter.
func TestDropoutAndSeedChangeTheResult(t *testing.T) {
	m := newTreeModel(t)
	trees := randomTrees(1, 50)
	results := map[string]map[string][]float32{}
	for seed, name := range []string{"one", "other"} {
		s := m.session(t, exec.Options{Workers: 1})
		tr := m.trainer(t, s, train.NewSGD(0.1), train.Options{Batch: 50, Seed: uint64(seed)})
		_, err := tr.Step(t.Context(), trees) // one batch: shuffling plays no part
		require.NoError(t, err)
		results[name] = values(s.Parameters())
	}
	assert.NotEqual(t, results["one"], results["other"])
}

func TestSettingsComeBack(t *testing.T) {
	m := newTreeModel(t)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	saved := newRun(t, m, &train.SGD{LearningRate: 0.25, Momentum: 0.5, L2: 0.125, LazyRows: true}, exec.Options{Workers: 1})
	saved.steps(t, randomTrees(1, 50), 3)
	require.NoError(t, train.Save(path, saved.checkpoint()))
	loaded := newRun(t, m, train.NewSGD(9), exec.Options{Workers: 1})
	loaded.load(t, path)
	assert.Equal(t, saved.opt, loaded.opt, "momentum too, which the new optimiser was not made for")
}

type config struct {
	Hidden int    `json:"hidden"`
	Note   string `json:"note"`
}

func TestConfigHistoryAndVocabulary(t *testing.T) {
	m := newTreeModel(t)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	c := &train.Checkpoint{Params: exec.NewParameters(m.program, 1), Config: config{6, "ä\n\""}, Vocabulary: []byte("the\nand\n"), History: []float64{0.25, 0.1}}
	require.NoError(t, train.Save(path, c))
	f, err := train.Open(path)
	require.NoError(t, err)
	defer f.Close()
	assert.Equal(t, "trees", f.Program())
	assert.Equal(t, "the\nand\n", string(f.Vocabulary()))
	assert.Nil(t, f.Progress())
	var got config
	require.NoError(t, f.Config(&got))
	assert.Equal(t, config{6, "ä\n\""}, got)
	var other struct{ Hidden int }
	err = f.Config(&other)
	require.ErrorIs(t, err, train.ErrCheckpoint)
	assert.ErrorContains(t, err, `unknown field "note"`)
	var scores []float64
	require.NoError(t, f.History(&scores))
	assert.Equal(t, []float64{0.25, 0.1}, scores)
	assert.ErrorIs(t, f.History(&got), train.ErrCheckpoint, "it is of another form")
}

func TestWhatWasNotSavedIsMissed(t *testing.T) {
	m := newTreeModel(t)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	require.NoError(t, train.Save(path, &train.Checkpoint{Params: exec.NewParameters(m.program, 1)}))
	f, err := train.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var x any
	for what, err := range map[string]error{"configuration": f.Config(&x), "history": f.History(&x)} {
		require.ErrorIs(t, err, train.ErrCheckpoint)
		assert.ErrorContains(t, err, "it has no "+what)
	}
}

// The file is an ordinary safetensors file whose variables have their own names.
func TestVariablesAreThereForOtherPrograms(t *testing.T) {
	m := newTreeModel(t)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	params := exec.NewParameters(m.program, 1)
	require.NoError(t, train.Save(path, &train.Checkpoint{Params: params}))
	r, err := safetensors.Open(path)
	require.NoError(t, err)
	defer r.Close()
	w := make([]float32, hidden*2*hidden)
	require.NoError(t, r.ReadF32("W", w))
	assert.Equal(t, params.Value(m.variable("W")), w)
}

func TestSaveErrors(t *testing.T) {
	m := newTreeModel(t)
	params := exec.NewParameters(m.program, 1)
	dir := t.TempDir()
	for what, c := range map[string]*train.Checkpoint{
		"Params of the checkpoint is nil":    {},
		"config as JSON: json: unsupported":  {Params: params, Config: func() {}},
		"history as JSON: json: unsupported": {Params: params, History: func() {}},
	} {
		err := train.Save(filepath.Join(dir, "x"), c)
		assert.ErrorContains(t, err, what)
	}
	require.ErrorIs(t, train.Save(filepath.Join(dir, "none", "x"), &train.Checkpoint{Params: params}), os.ErrNotExist)

	reserved := graph.NewModule("reserved")
	x := reserved.Var("frond/x", graph.F32(), graph.Zeros())
	f := reserved.Declare("f", nil, []graph.Value{graph.F32()})
	f.Define(nil, func([]graph.Value) []graph.Value { return []graph.Value{ops.Neg(x)} })
	p, err := reserved.Build()
	require.NoError(t, err)
	err = train.Save(filepath.Join(dir, "x"), &train.Checkpoint{Params: exec.NewParameters(p, 1)})
	require.ErrorIs(t, err, train.ErrSetting)
	require.ErrorContains(t, err, `variable "frond/x"`)

	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "nothing may stay behind")
}

// otherProgram has variables that partly agree with those of the tree model.
func otherProgram(t testing.TB) *graph.Program {
	m := graph.NewModule("other")
	sum := m.Var("E", graph.F32(40, hidden), graph.Zeros())
	b := m.Var("b", graph.F32(hidden), graph.Zeros())
	bs := m.Var("bs", graph.F32(), graph.Zeros())
	z := m.Var("Z", graph.F32(2), graph.Zeros())
	f := m.Declare("f", nil, []graph.Value{graph.F32()})
	f.Define(nil, func([]graph.Value) []graph.Value {
		loss := ops.Add(ops.Sum(sum), ops.Sum(b), bs, ops.Sum(z))
		recursion.Loss(loss)
		return []graph.Value{loss}
	})
	p, err := m.Build()
	require.NoError(t, err)
	return p
}

// All differences are reported, and nothing changes.
func TestLoadListsAllDifferences(t *testing.T) {
	m := newTreeModel(t)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	p := otherProgram(t)
	require.NoError(t, train.Save(path, &train.Checkpoint{
		Params: exec.NewParameters(p, 1), Optimizer: train.NewAdagrad(0.1), Vocabulary: []byte("the"),
	}))
	f, err := train.Open(path)
	require.NoError(t, err)
	defer f.Close()

	r := newRun(t, m, train.NewAdam(0.5), exec.Options{})
	before := values(r.session.Parameters())
	c := r.checkpoint()
	c.Vocabulary = []byte("a")
	err = f.Load(c)
	require.ErrorIs(t, err, train.ErrMismatch)
	for _, want := range []string{
		path, `it is of program "other", want "trees"`,
		"variable E is F32[40 6] in it, want F32[30 6]",
		"it has no variable W f32[6 12]", "it has no variable Ws f32[3 6]",
		"variable bs is F32[] in it, want F32[3]",
		"it has Z F32[2], the program has no such variable",
		"its optimiser is adagrad, want adam", "it has no progress",
		"its vocabulary (3 bytes, SHA-256 b9776d7ddf45) is not the expected one (1 bytes, SHA-256 ca978112ca1b)",
	} {
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "variable b ", "b agrees")
	assert.Equal(t, before, values(r.session.Parameters()))
	assert.Equal(t, train.NewAdam(0.5), r.opt)
	assert.Equal(t, train.Progress{Seed: 3}, *c.Progress)
}

func TestLoadWithoutOptimizerState(t *testing.T) {
	m := newTreeModel(t)
	path := filepath.Join(t.TempDir(), "x.safetensors")
	r := newRun(t, m, train.NewAdam(0.5), exec.Options{})
	require.NoError(t, train.Save(path, &train.Checkpoint{Params: r.session.Parameters()}))
	f, err := train.Open(path)
	require.NoError(t, err)
	defer f.Close()
	err = f.Load(r.checkpoint())
	require.ErrorIs(t, err, train.ErrMismatch)
	assert.ErrorContains(t, err, "it has no state of an optimiser")
	require.NoError(t, f.Load(&train.Checkpoint{Params: r.session.Parameters()}), "the variables alone are there")
}

// A changed byte anywhere, and every truncation, is found before anything is loaded.
func TestDamagedFiles(t *testing.T) {
	m := newTreeModel(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "good")
	r := newRun(t, m, train.NewAdagrad(0.1), exec.Options{})
	c := r.checkpoint()
	c.Vocabulary = []byte("the\nand\n")
	require.NoError(t, train.Save(path, c))
	good, err := os.ReadFile(path)
	require.NoError(t, err)

	bad := filepath.Join(dir, "bad")
	refused := func(what string, at int, content []byte) {
		require.NoError(t, os.WriteFile(bad, content, 0o600))
		f, err := train.Open(bad)
		if err == nil {
			f.Close()
		}
		require.ErrorIs(t, err, train.ErrCheckpoint, "%s at byte %d of %d", what, at, len(good))
		require.ErrorContains(t, err, bad)
	}
	for at := 0; at < len(good); at += 13 {
		if good[at] == ' ' { // padding of the header: other blanks mean the same
			continue
		}
		content := slices.Clone(good)
		content[at] ^= 0x40
		refused("flip", at, content)
	}
	for at := 0; at < len(good); at += 401 {
		refused("cut", at, good[:at])
	}
	refused("longer", len(good), append(slices.Clone(good), 0))
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	_, err := train.Open(missing)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "train: checkpoint: open "+missing+": ")

	foreign := filepath.Join(dir, "foreign")
	require.NoError(t, safetensors.WriteFile(foreign, []safetensors.Tensor{safetensors.Of("E", []int{1}, []float32{1})}, map[string]string{"format": "pt"}))
	_, err = train.Open(foreign)
	require.ErrorIs(t, err, train.ErrCheckpoint)
	assert.ErrorContains(t, err, "a safetensors file of another program")

	text := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(text, []byte("(3 (2 It) (4 works))\n"), 0o600))
	_, err = train.Open(text)
	require.ErrorIs(t, err, train.ErrCheckpoint)
	require.ErrorIs(t, err, safetensors.ErrFormat)
	assert.ErrorContains(t, err, "train: not a valid checkpoint: safetensors: "+text+": ")
	assert.Equal(t, 1, strings.Count(err.Error(), text), "the path is said once")
}
