package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBench(t *testing.T) {
	file, _ := trained(t)
	r := treelstm(t, "bench", "-model", file, "-batch", "1,8", "-workers", "1,2", "-time", "5ms", "-trees", "20")
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, "binary Tree-LSTM: 8 words")
	assert.Contains(t, r.out, ": 20 trees")
	rows := regexp.MustCompile(`(?m)^(inference|training) +(\d+) +(\d+) +(\d+) +\d+% +(\d+) `).FindAllStringSubmatch(r.out, -1)
	var got []string
	for _, row := range rows {
		got = append(got, strings.Join(row[1:4], " "))
		assert.Greater(t, number(t, row[4]), 0.0, row[0])
		assert.Greater(t, number(t, row[5]), number(t, row[4]), "trees have several nodes")
	}
	assert.Equal(t, []string{
		"inference 1 1", "inference 8 1", "training 1 1", "training 8 1",
		"inference 1 2", "inference 8 2", "training 1 2", "training 8 2",
	}, got)
}

func TestBenchJSON(t *testing.T) {
	_, dir := trained(t)
	config := filepath.Join(t.TempDir(), "c.json")
	r := treelstm(t, small("-data", dir, "-model=treernn", "-hidden=6", "-dropout=0", "-print-config")...)
	require.Zero(t, r.status, r.err)
	writeFile(t, config, r.out)
	r = treelstm(t, "bench", "-config", config, "-batch", "3", "-workers", "1", "-time", "0s", "-json")
	require.Zero(t, r.status, r.err)
	var report benchReport
	require.NoError(t, json.Unmarshal([]byte(r.out), &report), r.out)
	assert.Equal(t, "treernn", report.Model.Model)
	assert.Equal(t, 120, report.Trees)
	require.Len(t, report.Results, 2)
	for _, m := range report.Results {
		assert.Len(t, m.Rounds, rounds)
		assert.Contains(t, m.Rounds, m.TreesPerSecond, "the median is one of an odd number")
		assert.Positive(t, m.RowsPerBatch)
		assert.Positive(t, m.PeakBytes)
	}
}

func TestBenchRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"want numbers from 1 on":                {"-batch", "1,0"},
		`invalid value "two" for flag -workers`: {"-workers", "two"},
		"-workers 5000: want 1 to 1024":         {"-workers", "5000"},
		"-trees 0: want at least 1":             {"-trees", "0"},
		"-time -1s: want at least 0s":           {"-time", "-1s"},
		`unexpected argument "x"`:               {"x"},
		"-model and -config: want one of them":  {"-model", "x", "-config", "y"},
		`bench: -data "": want the name`:        {"-data", ""},
	} {
		r := treelstm(t, append([]string{"bench"}, args...)...)
		assert.Equal(t, exitUsage, r.status, "%q", args)
		assert.Contains(t, r.err, want)
	}
	r := treelstm(t, "bench", "-model", filepath.Join(t.TempDir(), "none"))
	assert.Equal(t, exitFailure, r.status)
	assert.Contains(t, r.err, "no such file")
}

func TestBenchCanBeInterrupted(t *testing.T) {
	file, _ := trained(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	r := commandWith(ctx, "", "bench", "-model", file, "-time", "1h")
	assert.Equal(t, exitInterrupted, r.status, r.err)
}

// The rounds of a measurement give its median and spread.
func TestMeasurement(t *testing.T) {
	m := measurement{What: "training", Batch: 25, Workers: 2, TreesPerSecond: 1000, NodesPerSecond: 38000, Rounds: []float64{900, 1000, 1050}, RowsPerBatch: 30, PeakBytes: 5e6}
	assert.InDelta(t, 0.1, m.spread(), 1e-12)
	assert.Equal(t, "training      25        2      1000     10%      38000     25.00          30      5.0\n", m.String())
	assert.Equal(t, len(benchHeading), len(m.String()), "columns stand under their heading")
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}
