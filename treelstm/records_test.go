package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// measuredLine is what a line of -metrics may hold.
type measuredLine struct {
	Kind   string
	Step   int64
	Epoch  int
	Steps  int
	Loss   float64
	Norm   float64
	Best   bool
	Dev    scores
	Config *config
	Rate   float64 `json:"trees_per_second"`
}

func metricsOf(t *testing.T, path string) (lines []measuredLine) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		var l measuredLine
		require.NoError(t, json.Unmarshal([]byte(line), &l), line)
		lines = append(lines, l)
	}
	return lines
}

// kinds are the kinds of lines, with the steps that they are about.
func kinds(lines []measuredLine) (all []string) {
	for _, l := range lines {
		all = append(all, fmt.Sprint(l.Kind, " ", l.Step))
	}
	return all
}

// recorded are flags that record into a directory.
func recorded(dir string) []string {
	in := func(name string) string { return filepath.Join(dir, name) }
	return []string{"-out", in("m.safetensors"), "-metrics", in("m.jsonl"), "-tensorboard", in("board"), "-curves", in("c.svg"), "-report", in("r.html")}
}

func TestRecords(t *testing.T) {
	data := sentimentData(t) // 120 trees: 15 steps of 8
	dir := t.TempDir()
	r := treelstm(t, small(append(recorded(dir), "-data", data, "-epochs=4", "-min-count=1")...)...)
	require.Zero(t, r.status, r.err)

	lines := metricsOf(t, filepath.Join(dir, "m.jsonl"))
	assert.Equal(t, []string{"run 0", "steps 15", "epoch 15", "steps 30", "epoch 30", "steps 45", "epoch 45", "steps 50", "steps 60", "epoch 60"}, kinds(lines))
	assert.Equal(t, 8, lines[0].Config.Hidden)
	assert.Equal(t, []int{5, 10}, []int{lines[7].Steps, lines[8].Steps})
	epochs := epochLine.FindAllStringSubmatch(r.out, -1)
	last := lines[9]
	assert.Equal(t, epochs[3][3], percentText(last.Dev.Root))
	assert.Equal(t, epochs[3][4], percentText(last.Dev.Nodes))
	assert.NotNil(t, last.Dev.BinaryRoot)
	assert.InDelta(t, last.Loss, (5*lines[7].Loss+10*lines[8].Loss)/15, 1e-9, "the loss of an epoch is that of its steps")
	assert.Positive(t, last.Rate)
	assert.Positive(t, lines[1].Norm)

	events, err := filepath.Glob(filepath.Join(dir, "board", "events.out.tfevents.*"))
	require.NoError(t, err)
	assert.Len(t, events, 1)

	svg, err := os.ReadFile(filepath.Join(dir, "c.svg"))
	require.NoError(t, err)
	assert.Equal(t, 5*4, strings.Count(string(svg), "<circle"), "a point per line and epoch")

	page, err := os.ReadFile(filepath.Join(dir, "r.html"))
	require.NoError(t, err)
	assert.Equal(t, 5*4, strings.Count(string(page), "<circle"))
	for _, want := range []string{epochs[3][3] + "%", "predicted", "learning_rate", "Training of m.safetensors"} {
		assert.Contains(t, string(page), want)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".treelstm*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func percentText(share float64) string {
	return strings.TrimSuffix(ratio{int(share*1e6 + 0.5), 1e6}.String(), "%")
}

// The records of a run that was interrupted and went on are those of one that was not:
// nothing twice, nothing missing.
func TestRecordsOfAResumedRun(t *testing.T) {
	data := sentimentData(t)
	whole, dir := t.TempDir(), t.TempDir()
	args := func(dir string) []string {
		return small(append(recorded(dir), "-data", data, "-epochs=4")...)
	}
	require.Zero(t, treelstm(t, args(whole)...).status)
	r := commandWith(interruptAfter(t.Context(), 500), "", args(dir)...)
	require.Equal(t, exitInterrupted, r.status, r.err)

	// As if the process had been killed later than its state was saved.
	metrics := filepath.Join(dir, "m.jsonl")
	text, err := os.ReadFile(metrics)
	require.NoError(t, err)
	late := `{"kind":"steps","step":59,"epoch":4}` + "\n" + `{"kind":"st`
	require.NoError(t, os.WriteFile(metrics, append(text, late...), 0o600))

	r = treelstm(t, append(args(dir), "-resume")...)
	require.Zero(t, r.status, r.err)
	var epochs, wantEpochs []measuredLine
	for _, l := range metricsOf(t, metrics) {
		assert.NotEqual(t, int64(59), l.Step)
		if l.Kind == "epoch" {
			l.Rate = 0
			epochs = append(epochs, l)
		}
	}
	for _, l := range metricsOf(t, filepath.Join(whole, "m.jsonl")) {
		if l.Kind == "epoch" {
			l.Rate = 0
			wantEpochs = append(wantEpochs, l)
		}
	}
	assert.Equal(t, wantEpochs, epochs)
	for _, name := range []string{"c.svg", "r.html"} {
		want, err := os.ReadFile(filepath.Join(whole, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, string(want), strings.ReplaceAll(string(got), dir, whole), name)
	}
}

// A place that there is not is reported before anything is trained.
func TestRecordsWithoutAPlace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	none := filepath.Join(dir, "none")
	for _, c := range [][2]string{
		{"-metrics", filepath.Join(none, "x")}, {"-tensorboard", filepath.Join(file, "x")},
		{"-curves", filepath.Join(none, "x")}, {"-report", filepath.Join(none, "x")}, {"-report", dir},
	} {
		r := treelstm(t, small("-examples=8", "-out", filepath.Join(dir, "m.safetensors"), c[0], c[1])...)
		assert.Equal(t, exitFailure, r.status, c)
		assert.Contains(t, r.err, c[0]+": ")
		assert.Contains(t, r.err, strings.TrimSuffix(c[1], "/x"))
		assert.NoFileExists(t, filepath.Join(dir, "m.safetensors"))
	}
}
