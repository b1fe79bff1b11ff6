package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/contender"
	"github.com/frondml/frond/benchmarks/report"
	"github.com/frondml/frond/exec"
)

func TestOptions(t *testing.T) {
	o, err := parseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.Equal(t, shortBudget, o.budget)
	require.True(t, o.selects(kernelsName) && o.selects(programsName))
	require.Empty(t, o.json)

	o, err = parseOptions([]string{"-full"}, io.Discard)
	require.NoError(t, err)
	require.Equal(t, fullBudget, o.budget)
	require.Equal(t, "benchmarks/RESULTS.md", o.markdown)
	races, err := o.races()
	require.NoError(t, err)
	require.Len(t, races, 2*(4*4*2*2)+2+2+2*2+2*2*2+2)
	names := map[string]bool{}
	groups := map[group]int{}
	for i, r := range races {
		names[r.String()] = true
		if i == 0 || r.group != races[i-1].group {
			groups[r.group]++
		}
	}
	require.Len(t, names, len(races), "names are distinct")
	for g, n := range groups {
		require.Equal(t, 1, n, "%+v: races with equal contenders come together", g)
		require.Contains(t, kinds, g.field)
	}

	o, err = parseOptions([]string{"-only", "^train/linear/256x256/b10/w2$", "-time", "1s", "-rounds", "5"}, io.Discard)
	require.NoError(t, err)
	races, err = o.races()
	require.NoError(t, err)
	require.Equal(t, []race{{group{"", "linear", wide, 2}, "train", 10, 2}}, races)
	require.False(t, o.selects(kernelsName))
	o, err = parseOptions([]string{"-only", "kernels"}, io.Discard)
	require.NoError(t, err)
	races, err = o.races()
	require.NoError(t, err)
	require.Empty(t, races)

	for _, args := range [][]string{{"-only", "("}, {"-rounds", "2"}, {"-time", "-1s"}, {"extra"}, {"-unknown"}} {
		var b bytes.Buffer
		_, err := parseOptions(args, &b)
		require.Error(t, err, "%v", args)
		require.NotEmpty(t, b.String(), "%v", args)
	}
	_, err = parseOptions([]string{"-h"}, io.Discard)
	require.ErrorIs(t, err, flag.ErrHelp)
	o, err = parseOptions([]string{"-only", "nothing"}, io.Discard)
	require.NoError(t, err)
	_, err = o.races()
	require.ErrorContains(t, err, `"nothing"`)
}

// tiny makes fields that are made and raced quickly, of all kinds.
func tiny(t *testing.T) {
	for name, k := range kinds {
		small := k
		small.fill = func(f *field) {
			f.setting.Hidden = 10
			k.fill(f)
		}
		kinds[name] = small
		t.Cleanup(func() { kinds[name] = k })
	}
}

func TestRun(t *testing.T) {
	tiny(t)
	dir := t.TempDir()
	var out bytes.Buffer
	o, err := parseOptions([]string{"-only", "^(infer/sst|train/balanced)/300x150/b(1|25)/w|^train/(linear|moderate)/300x150/b25/w1|tree/|models/.*b25|unrolled/", "-rounds", "3", "-time", "1ms", "-sample", "1us"}, io.Discard)
	require.NoError(t, err)
	races, err := o.races()
	require.NoError(t, err)
	r := &report.Report{Machine: machine()}
	require.NoError(t, raceAll(r, races, o, time.Now(), &out))
	require.Len(t, r.Races, 8+2+4+4+2)
	for _, c := range r.Races {
		require.GreaterOrEqual(t, len(c.Results), 2)
		require.GreaterOrEqual(t, c.Nodes, c.Sentences*3)
		for _, q := range c.Results {
			require.Len(t, q.Seconds, 3)
			require.Positive(t, q.PerSecond.P10)
			require.Positive(t, q.Ratio.P10)
		}
		require.Equal(t, 1.0, c.Results[0].Ratio.Median)
	}
	require.Len(t, r.Races[0].Results, 8)
	require.Contains(t, out.String(), "graphs of")
	r.Figures = figures(r)
	require.NotEmpty(t, r.Sensitivities(300, 150))
	path := filepath.Join(dir, "out.json")
	require.NoError(t, writeFile(path, r.WriteJSON))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	back, err := report.ReadJSON(f)
	require.NoError(t, err)
	require.Equal(t, r.Races, back.Races)
	require.NoError(t, writeFile("", r.WriteJSON))
	o.json = filepath.Join(dir, "missing", "x")
	require.ErrorIs(t, run(o, io.Discard), os.ErrNotExist)
	require.Error(t, writeFile(filepath.Join(dir, "missing", "x"), r.WriteJSON))
}

// TestKeptRows checks that words seen before cost nothing, which a figure is about.
func TestKeptRows(t *testing.T) {
	trees, err := loadTrees("sst", 25)
	require.NoError(t, err)
	c, err := contender.NewRecursive(frond, contender.Setting{Corpus: trees, Embed: 12, Hidden: 10, Workers: 1}, exec.Options{})
	require.NoError(t, err)
	b := contender.Batches(trees.Trees, 25)[0]
	for range 2 {
		c.(contender.Counter).ResetStats()
		_, err := c.Infer(b)
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, int(c.(contender.Counter).Stats().KeptRows), trees.Leaves())
	require.NoError(t, c.Close())
}

func TestRaceErrors(t *testing.T) {
	var r report.Report
	o := &options{rounds: 3}
	nowhere := []race{{group: group{"", "nowhere", usual, 1}, mode: "train", batch: 25, weight: 1}}
	require.ErrorContains(t, raceAll(&r, nowhere, o, time.Now(), io.Discard), `no trees are called "nowhere"`)
	broken := errors.New("broken")
	kinds["broken"] = kind{3, 1, func(f *field) { f.add(nil, broken) }}
	defer delete(kinds, "broken")
	races := []race{{group: group{"broken", "linear", usual, 1}, mode: "train", batch: 25, weight: 1}}
	require.ErrorIs(t, raceAll(&r, races, o, time.Now(), io.Discard), broken)
}

func TestRivalsThatAreNotThere(t *testing.T) {
	trees, err := loadTrees("linear", 3)
	require.NoError(t, err)
	f := &field{setting: contender.Setting{Corpus: trees, Embed: 4, Hidden: 3, Workers: 1}, batched: map[int][]*contender.Batch{}}
	f.rival("absent", "benchmarks/peers/absent", "x")
	f.rival("mute", "false")
	require.Empty(t, f.contenders)
	require.NoError(t, f.err)
	require.Equal(t, "absent: skipped: benchmarks/peers/absent is not there", f.notes[0])
	require.Contains(t, f.notes[1], "mute: skipped: peer: mute: EOF")
}

func TestKernels(t *testing.T) {
	r := new(report.Report)
	var out bytes.Buffer
	require.NoError(t, raceKernels(r, 0, &out))
	require.Contains(t, out.String(), "gonum: ", "it takes part, or there is a reason")
	require.Len(t, r.Measurements, 4)
	own := 0
	for _, k := range r.Kernels {
		require.Positive(t, k.GFLOPS.Median)
		if r.Machine.PeakGFs > 0 {
			require.Less(t, k.GFLOPS.Median, 1.5*r.Machine.PeakGFs, "%s does not exceed the peak", k.Name)
		}
		if k.Name == ownGemm {
			own++
		}
	}
	require.Equal(t, len(gemmRows), own)
}

func TestPrograms(t *testing.T) {
	var r report.Report
	for _, c := range []struct {
		make  func(int) (*program, error)
		n     int
		calls float64
	}{{fib, 10, 177}, {count, 100, 101}, {decay, 100, 101}} {
		p, err := c.make(c.n)
		require.NoError(t, err)
		require.NoError(t, p.run())
		require.InDelta(t, c.calls, p.session.Stats().Calls, 1)
		require.NoError(t, measureProgram(&r, "program", p, 0))
	}
	require.NoError(t, measureMemory(&r))
	require.Len(t, r.Measurements, 8)
	for _, m := range r.Measurements {
		require.Positive(t, m.Value.Median, m.Name)
	}
}

// raced is a race of which each contender took the given seconds in three rounds.
func raced(mode, trees string, batch, workers int, seconds map[string]float64) report.Race {
	c := report.Race{Model: string(contender.TreeLSTM), Mode: mode, Trees: trees, Batch: batch, Workers: workers, Embed: 300, Hidden: 150, Sentences: batch, GFLOP: 50}
	for name, s := range seconds {
		q := report.Result{Contender: name, Seconds: []float64{s, 10 * s, s}, WallPerSecond: float64(batch) / s, MallocsPerNode: s}
		q.PerSecond.Median = float64(batch) / s
		c.Results = append(c.Results, q)
	}
	return c
}

func TestFigures(t *testing.T) {
	in := func(field string, c report.Race) report.Race {
		c.Field = field
		return c
	}
	r := &report.Report{
		Machine: report.Machine{PeakGFs: 100},
		Races: []report.Race{
			raced("train", "sst", 25, 1, map[string]float64{level: 1, frond: 0.8, frondUnshared: 1.25, frondUnbatched: 2, iterativeBatch: 1.2}),
			raced("train", "sst", 25, 2, map[string]float64{level: 0.5, frond: 0.5, frondUnshared: 0.5, frondUnbatched: 2}),
			raced("train", "linear", 25, 1, map[string]float64{level: 1, frond: 100, frondUnshared: 100, frondUnbatched: 2, iterativeBatch: 90}),
			raced("train", "balanced", 25, 1, map[string]float64{frond: 1, iterativeBatch: 1.4}),
			raced("infer", "balanced", 25, 1, map[string]float64{frond: 1, iterativeBatch: 1.1}),
			raced("infer", "sst", 25, 1, map[string]float64{level: 3, frond: 2}),
			raced("infer", "linear", 25, 1, map[string]float64{frond: 2}),
			raced("infer", "linear", 128, 1, map[string]float64{frond: 1}),
			raced("infer", "sst", 1, 1, map[string]float64{level: 1, frond: 2}),
			in("rivals", raced("train", "sst", 25, 1, map[string]float64{frond: 1, torchNatural: 50, torchLevel: 1.5})),
			in("rivals", raced("infer", "sst", 25, 1, map[string]float64{frond: 1, torchNatural: 5, torchLevel: 1})),
			in("tree", raced("infer", "large", 1, 1, map[string]float64{frond: 2})),
			in("tree", raced("infer", "large", 1, 2, map[string]float64{frond: 1.25})),
		},
		Kernels: []report.Kernel{
			{Name: ownGemm, Rows: 1, OfPeak: 0.3}, {Name: ownGemm, Rows: 4, OfPeak: 0.85}, {Name: ownGemm, Rows: 8, OfPeak: 0.82},
			{Name: gonumGemm, Rows: 8, OfPeak: 0.1},
		},
	}
	got := map[string]report.Figure{}
	for _, f := range figures(r) {
		got[f.Claim] = f
	}
	for claim, want := range map[string]struct {
		value float64
		where string
		met   bool
	}{
		"unshared / hand-written, batch 25 and 128, 1 and 2 workers":                 {0.8, "train/sst/300x150/b25/w1", false},
		"shared / hand-written, training on SST, batch 25":                           {1.25, "train/sst/300x150/b25/w1", true},
		"kept rows / hand-written, inference, words seen before, batch 25 and 128":   {1.5, "infer/sst/300x150/b25/w1", true},
		"one tree, 1 worker / hand-written":                                          {0.5, "infer/sst/300x150/b1/w1", false},
		"operations of the products in training / peak, batch 25 and more, one core": {0.4, "train/sst/300x150/b25/w1", false},
		"training, batch 25, one core / PyTorch, natural recursion":                  {50, "rivals/train/sst/300x150/b25/w1", true},
		"training, batch 25, one core / PyTorch, by level, backward by hand":         {1.5, "rivals/train/sst/300x150/b25/w1", false},
		"2 workers / 1 worker, batch 25 and more":                                    {1.6, "train/sst/300x150/b25/w2", false},
		"2 workers / 1 worker, one balanced tree of 256 leaves":                      {1.6, "tree/infer/large/300x150/b1/w2", true},
		"recursive / iterative over the mini-batch, balanced trees, batch 25":        {1.1, "infer/balanced/300x150/b25/w1", false},
		"recursive / iterative over the mini-batch, SST, batch 25":                   {1.5, "train/sst/300x150/b25/w1", true},
		"recursive / iterative over the mini-batch, linear trees, batch 25":          {0.9, "train/linear/300x150/b25/w1", false},
		"batched / unbatched, batch 25":                                              {2.5, "train/sst/300x150/b25/w1", true},
		"own GEMM of 4 to 1024 rows / peak":                                          {0.82, "8 rows", true},
		"heap allocations per node":                                                  {100, "train/linear/300x150/b25/w1", false},
		"heap allocations per node that a run has more, from batch 25 to 128":        {(128.0 - 25*2) / 103, "infer/linear/300x150/b128/w1", false},
	} {
		f, ok := got[claim]
		require.True(t, ok && f.Measured != nil, claim)
		require.InDelta(t, want.value, *f.Measured, 1e-9, claim)
		require.Equal(t, want.where, f.Where, claim)
		require.Equal(t, want.met, f.Met(), claim)
	}
	require.Len(t, got, 17)
	require.Nil(t, got["shared / hand-written, training on SST, batch 128"].Measured)
}

func TestGuards(t *testing.T) {
	good := raced("train", "sst", 25, 1, map[string]float64{level: 1, frondUnshared: 1.1, frondUnbatched: 2})
	slow := raced("train", "sst", 25, 1, map[string]float64{level: 1, frondUnshared: 1.5, frondUnbatched: 2})
	slower := raced("infer", "linear", 1, 1, map[string]float64{level: 1, frondUnshared: 1.5, frondUnbatched: 1.2})
	require.NoError(t, checkGuards([]report.Race{good}))
	err := checkGuards([]report.Race{good, slow, slower})
	require.ErrorIs(t, err, errGuard)
	require.ErrorContains(t, err, `train/sst/300x150/b25/w1: "frond, unshared" runs at 0.67 of the speed of "level"`)
	require.ErrorContains(t, err, `infer/linear/300x150/b1/w1: "frond, unshared" runs at 0.80 of the speed of "frond, unbatched"`)
	require.NotContains(t, err.Error(), `b1/w1: "frond, unshared" runs at 0.67`, "one tree has a lower bound")
}

func TestGFLOP(t *testing.T) {
	r := race{group: group{size: size{contender.TreeLSTM, 3, 2}}, mode: "infer"}
	// Two leaves of 3·6, one inner node of 4·10, three nodes of 2·5 products.
	require.InDelta(t, 2*(2*18+40+3*10)/1e9, gflop(r, 2, 3, 5), 1e-18)
	r.mode = "train"
	require.InDelta(t, 6*(2*18+40+3*10)/1e9, gflop(r, 2, 3, 5), 1e-18)
	r.model = contender.TreeRNN
	require.Zero(t, gflop(r, 2, 3, 5))
}
