package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/measure"
)

func value(v float64) *float64 { return &v }

func example() *Report {
	return &Report{
		Machine: Machine{CPU: "a processor", CPUs: 2, OS: "linux", Arch: "amd64", Go: "go1.26", Load: "0.10, 2.00", PeakGFs: 100},
		Started: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), Took: 90 * time.Second, Command: "go run ./benchmarks",
		Races: []Race{{
			Model: "treelstm", Mode: "train", Trees: "sst", Batch: 25, Workers: 2, Embed: 300, Hidden: 150, Sentences: 50, Nodes: 1900, Clock: "wall",
			Results: []Result{
				{Contender: "level", Rounds: 3, PerSecond: measure.Spread{P10: 900, Median: 1000, P90: 1100}, Ratio: measure.Spread{P10: 1, Median: 1, P90: 1}, Seconds: []float64{1, 2, 3}},
				{Contender: "frond", Rounds: 3, PerSecond: measure.Spread{P10: 950, Median: 960, P90: 970}, Ratio: measure.Spread{P10: 0.94, Median: 0.96, P90: 0.97}, Cores: 1.9, MallocsPerNode: 0.25},
				{Contender: "abroad", Rounds: 3, PerSecond: measure.Spread{P10: 0.09, Median: 0.1, P90: 0.114}, Ratio: measure.Spread{P10: 0.009, Median: 0.01, P90: 0.011}, Cores: 1, MallocsPerNode: 0.25, Elsewhere: true},
			},
		}},
		Notes:        []string{"a rival: version 3"},
		Measurements: []Measurement{{Name: "fib, time", Unit: "ns per invocation", Value: measure.Spread{P10: 40, Median: 50, P90: 60}, Note: "7 calls"}},
		Kernels:      []Kernel{{Name: "Gemm", Rows: 4, Depth: 300, Columns: 750, GFLOPS: measure.Spread{P10: 80, Median: 85, P90: 90}, OfPeak: 0.85}},
		Figures: []Figure{
			{Claim: "fast", Where: "train/sst", Least: 0.95, Measured: value(0.96)},
			{Claim: "very fast", Where: "train/sst", Least: 2, Measured: value(0.96)},
			{Claim: "frugal", Most: true, Where: "infer/sst", Least: 0, Measured: value(0)},
			{Claim: "elsewhere", Least: 1},
		},
	}
}

func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, example().WriteMarkdown(&b))
	text := b.String()
	for _, line := range []string{
		"- Date: 2026-05-04 03:02 UTC, took 1m30s",
		"- Processor: a processor, 2 CPUs, linux/amd64",
		"- Load average before, after: 0.10, 2.00",
		"| fast | ≥ 0.95 | 0.96 | train/sst | yes |",
		"| very fast | ≥ 2 | 0.96 | train/sst | no |",
		"| frugal | ≤ 0 | 0 | infer/sst | yes |",
		"| elsewhere | ≥ 1 | not measured |  | - |",
		"| ways | treelstm | train | sst | 300/150 | 25 | 2 | frond | 960 (950-970) | 0.96 (0.94-0.97) | 1.90 | 0.250 | 3 |",
		"| ways | treelstm | train | sst | 300/150 | 25 | 2 | abroad | 0.1 (0.09-0.114) | 0.01 (0.009-0.011) | 1.00 | - | 3 |",
		"- a rival: version 3",
		"| fib, time | 50 (40-60) ns per invocation | 7 calls |",
		"| Gemm | 4 | 300 | 750 | 85.0 (80.0-90.0) | 0.85 |",
	} {
		require.Contains(t, text, line+"\n")
	}
	require.NotContains(t, text, "Commit", "unknown")
	requireTables(t, text)
}

// requireTables checks that all rows of a table have equally many cells.
func requireTables(t *testing.T, text string) {
	cells := 0
	for line := range strings.Lines(text) {
		n := strings.Count(line, "|")
		if n > 0 && cells > 0 {
			require.Equal(t, cells, n, line)
		}
		cells = n
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	want := example()
	require.NoError(t, want.WriteJSON(&b))
	got, err := ReadJSON(&b)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestTables(t *testing.T) {
	var b bytes.Buffer
	r := example()
	require.NoError(t, r.Races[0].WriteTable(&b))
	require.Contains(t, b.String(), "train sst treelstm 300/150 batch 25, 2 workers (wall time)\n")
	require.Contains(t, b.String(), "960 sentences/s (950-970)   ×0.96 (0.94-0.97)")
	b.Reset()
	for i := range r.Figures {
		require.NoError(t, r.Figures[i].WriteTable(&b))
	}
	require.Equal(t, 4, strings.Count(b.String(), "\n"))
	require.Contains(t, b.String(), "missed    very fast: 0.96 (>= 2) at train/sst\n")
	require.Contains(t, b.String(), "met       frugal: 0 (<= 0) at infer/sst\n")
}

func TestFind(t *testing.T) {
	r := &example().Races[0]
	require.Equal(t, 0.25, r.Find("frond").MallocsPerNode)
	require.Nil(t, r.Find("nobody"))
}

func TestOtherTables(t *testing.T) {
	var b bytes.Buffer
	r := example()
	require.NoError(t, r.WriteTables(&b))
	require.Contains(t, b.String(), "85.0 GFLOP/s (80.0-90.0)   0.85 of peak\n")
	require.Contains(t, b.String(), "50 (40-60) ns per invocation   7 calls\n")
	b.Reset()
	require.NoError(t, r.Note(&b, "one", "two"))
	require.Equal(t, "one\ntwo\n", b.String())
	require.Equal(t, []string{"a rival: version 3", "one", "two"}, r.Notes)
}

func TestSensitivities(t *testing.T) {
	race := func(trees string, workers int, perSecond float64, contenders ...string) Race {
		c := Race{Mode: "train", Trees: trees, Batch: 25, Workers: workers, Embed: 300, Hidden: 150}
		for _, name := range contenders {
			c.Results = append(c.Results, Result{Contender: name, PerSecond: measure.Spread{Median: perSecond}})
		}
		return c
	}
	r := &Report{Races: []Race{
		race("balanced", 1, 300, "a", "b"), race("moderate", 1, 200, "a", "b"), race("linear", 1, 100, "a"),
		race("linear", 2, 50, "a", "b"), race("sst", 1, 70, "a", "b"),
	}}
	require.Equal(t, []Sensitivity{{"train", "a", 25, map[string]float64{"balanced": 300, "moderate": 200, "linear": 100}}}, r.Sensitivities(300, 150))
	require.Empty(t, r.Sensitivities(256, 256))
	var b bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&b))
	require.Contains(t, b.String(), "| train | 25 | a | 300 (3.00) | 200 (2.00) | 100 (1.00) |\n")
	requireTables(t, b.String())
}
