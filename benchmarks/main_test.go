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
)

func TestOptions(t *testing.T) {
	o, err := parseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.Equal(t, 4*time.Minute, o.budget)
	races, err := o.races()
	require.NoError(t, err)
	require.Len(t, races, 2*2*3*2)

	o, err = parseOptions([]string{"-full"}, io.Discard)
	require.NoError(t, err)
	races, err = o.races()
	require.NoError(t, err)
	require.Len(t, races, 2*4*4*2*2)
	require.Equal(t, 18*time.Minute, o.budget)
	groups := 1
	for i := range races[1:] {
		if races[i].group != races[i+1].group {
			groups++
		}
	}
	require.Equal(t, 4*2*2, groups, "races with equal contenders come together")

	o, err = parseOptions([]string{"-only", "train/linear/256x256/b10/w2$", "-time", "1s", "-rounds", "5"}, io.Discard)
	require.NoError(t, err)
	races, err = o.races()
	require.NoError(t, err)
	require.Equal(t, []race{{group{"linear", 256, 256, 2}, "train", 10}}, races)

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

// small are contenders that are quick to make.
func small(s contender.Setting) ([]contender.Contender, error) {
	s.Embed, s.Hidden = 12, 10
	return contenders(s)
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	o, err := parseOptions([]string{"-only", "(infer/sst|train/balanced)/300x150/b(1|25)/w", "-rounds", "3", "-time", "1ms", "-sample", "1us"}, io.Discard)
	require.NoError(t, err)
	races, err := o.races()
	require.NoError(t, err)
	r := &report.Report{Machine: machine()}
	r.Races, err = raceAll(races, small, o, time.Now(), &out)
	require.NoError(t, err)
	require.Len(t, r.Races, 8)
	for _, c := range r.Races {
		require.Len(t, c.Results, 5)
		require.GreaterOrEqual(t, c.Nodes, c.Sentences*3)
		for _, q := range c.Results {
			require.Len(t, q.Seconds, 3)
			require.Positive(t, q.PerSecond.P10)
			require.Positive(t, q.Ratio.P10)
		}
		require.Equal(t, 1.0, c.Results[0].Ratio.Median)
	}
	r.Figures = figures(r)
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

func TestRaceErrors(t *testing.T) {
	o := &options{rounds: 3}
	_, err := raceAll([]race{{group{"nowhere", 300, 150, 1}, "train", 25}}, small, o, time.Now(), io.Discard)
	require.ErrorContains(t, err, `no trees are called "nowhere"`)
	broken := errors.New("broken")
	_, err = raceAll([]race{{group{"linear", 300, 150, 1}, "train", 25}},
		func(contender.Setting) ([]contender.Contender, error) { return nil, broken }, o, time.Now(), io.Discard)
	require.ErrorIs(t, err, broken)
}

// raced is a race of which each contender took the given seconds in three rounds.
func raced(mode, trees string, batch, workers int, seconds map[string]float64) report.Race {
	c := report.Race{Mode: mode, Trees: trees, Batch: batch, Workers: workers, Embed: 300, Hidden: 150, Sentences: batch, GFLOP: 50}
	for name, s := range seconds {
		q := report.Result{Contender: name, Seconds: []float64{s, 10 * s, s}, WallPerSecond: float64(batch) / s, MallocsPerNode: s}
		q.PerSecond.Median = float64(batch) / s
		c.Results = append(c.Results, q)
	}
	return c
}

func TestFigures(t *testing.T) {
	r := &report.Report{
		Machine: report.Machine{PeakGFs: 100},
		Races: []report.Race{
			raced("train", "sst", 25, 1, map[string]float64{level: 1, frond: 0.8, frondUnshared: 1.25, frondUnbatched: 2}),
			raced("train", "sst", 25, 2, map[string]float64{level: 0.5, frond: 0.5, frondUnshared: 0.5, frondUnbatched: 2}),
			raced("train", "linear", 25, 1, map[string]float64{level: 1, frond: 100, frondUnshared: 100, frondUnbatched: 2}),
			raced("infer", "sst", 1, 1, map[string]float64{level: 1, frond: 2}),
		},
		Kernels: []report.Kernel{{Rows: 1, OfPeak: 0.3}, {Rows: 4, OfPeak: 0.85}, {Rows: 8, OfPeak: 0.82}},
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
		"one tree, 1 worker / hand-written":                                          {0.5, "infer/sst/300x150/b1/w1", false},
		"operations of the products in training / peak, batch 25 and more, one core": {0.4, "train/sst/300x150/b25/w1", false},
		"2 workers / 1 worker, batch 25 and more":                                    {1.6, "train/sst/300x150/b25/w2", false},
		"batched / unbatched, batch 25":                                              {2.5, "train/sst/300x150/b25/w1", true},
		"own GEMM of 4 to 1024 rows / peak":                                          {0.82, "8 rows", true},
		"heap allocations per node":                                                  {100, "train/linear/300x150/b25/w1", false},
	} {
		f, ok := got[claim]
		require.True(t, ok && f.Measured != nil, claim)
		require.InDelta(t, want.value, *f.Measured, 1e-9, claim)
		require.Equal(t, want.where, f.Where, claim)
		require.Equal(t, want.met, f.Met(), claim)
	}
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
	r := race{group{embed: 3, hidden: 2}, "infer", 1}
	// Two leaves of 3·6, one inner node of 4·10, three nodes of 2·5 products.
	require.InDelta(t, 2*(2*18+40+3*10)/1e9, gflop(r, 2, 3, 5), 1e-18)
	r.mode = "train"
	require.InDelta(t, 6*(2*18+40+3*10)/1e9, gflop(r, 2, 3, 5), 1e-18)
}
