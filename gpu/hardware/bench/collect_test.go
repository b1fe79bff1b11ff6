package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/benchmarks/measure"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

func TestCollect(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, stepsFile, "ptxas\tskipped: there is no ptxas\t0\ntest-gpu\tfailed with status 1\t7\nmemcheck\tok\t12\ngemm\tended after 20 s\t20\ntest-exec\tfailed with status 1\t2\ncopy\tfailed with status 1\t0\n")
	write(t, dir, dateFile, "2026-11-30 02:00:00 UTC\n")
	write(t, dir, machineFile, "Card 9000, 580.1, 1024 MiB\n")
	write(t, dir, preparedFile, "commit 0123456789ab\n")
	write(t, dir, "test-gpu.log", "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestB/sub (0.00s)\n--- FAIL: TestB (0.00s)\n--- SKIP: TestC (0.00s)\nFAIL\n")
	write(t, dir, "memcheck.log", "========= COMPUTE-SANITIZER\n--- PASS: TestGEMM (1.00s)\nPASS\n========= ERROR SUMMARY: 0 errors\n")
	write(t, dir, "test-exec.log", strings.Repeat("--- FAIL: TestX (0.00s)\n", 11))
	write(t, dir, "copy.log", "a line\nbench: no CUDA driver\n\n")
	spread := measure.Spread{P10: 1, Median: 2.5, P90: 3}
	require.NoError(t, writeJSON(filepath.Join(dir, "gemm.json"), &report{
		Card: card{Name: "Card 9000", Driver: "13.0", Capability: 90, Memory: 1 << 30, Multiprocessors: 7}, Notes: []string{"gemm: cuBLAS 13.4.1"},
		Measurements: []measurement{
			{Part: "gemm", Name: "GEMM", Case: "m=16", Unit: "TFLOP/s", Value: spread, Rounds: 3},
			{Part: "gemm", Name: "cuBLAS fp32", Case: "m=64", Unit: "TFLOP/s", Value: measure.Spread{Median: 17}},
		},
	}))
	var printed strings.Builder
	require.NoError(t, collect(dir, &printed))
	summary, err := os.ReadFile(filepath.Join(dir, summaryFile))
	require.NoError(t, err)
	require.Equal(t, printed.String(), string(summary))
	for _, want := range []string{
		"card: Card 9000, compute capability 9.0, 7 multiprocessors, 1024 MiB\n",
		"driver: CUDA 13.0; nvidia-smi: Card 9000, 580.1, 1024 MiB\n", "date: 2026-11-30 02:00:00 UTC\n",
		"of 3 tests 1 passed, 1 skipped, 1 failed TestB\n", "ERROR SUMMARY: 0 errors; of 1 tests 1 passed", "ended after 20 s",
		"of 11 tests 0 passed, 0 skipped, 11 failed" + strings.Repeat(" TestX", 8) + " and 3 more\n", "  bench: no CUDA driver\n", "gemm: cuBLAS 13.4.1\n",
	} {
		require.Contains(t, printed.String(), want)
	}
	require.Regexp(t, `gemm \(TFLOP/s\) +GEMM +cuBLAS fp32\n +m=16 +2\.5 *\n +m=64 +17\n`, printed.String())
	require.NotContains(t, printed.String(), "EMULATED")

	text, err := os.ReadFile(filepath.Join(dir, resultsFile))
	require.NoError(t, err)
	var r hardwareRun
	require.NoError(t, json.Unmarshal(text, &r))
	require.Equal(t, "Card 9000, 580.1, 1024 MiB", r.Machine)
	require.Equal(t, step{Name: "test-gpu", Status: "failed with status 1", Seconds: 7, Passed: 1, Skipped: 1, Failed: []string{"TestB"}}, r.Steps[1])
	require.Equal(t, spread, r.Reports[0].Measurements[0].Value)
	require.False(t, r.Emulated)
}

// Figures of an emulated device cannot be mistaken for others.
func TestCollectSaysWhatWasEmulated(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, stepsFile, "launch\tok\t1\n")
	require.NoError(t, writeJSON(filepath.Join(dir, "launch.json"), &report{Card: card{Name: "emulated device"}}))
	var printed strings.Builder
	require.NoError(t, collect(dir, &printed))
	require.Contains(t, printed.String(), "THE DEVICE WAS EMULATED")
}

func TestCollectRefusesNonsense(t *testing.T) {
	dir := t.TempDir()
	require.ErrorIs(t, collect(dir, io.Discard), os.ErrNotExist)
	write(t, dir, stepsFile, "launch ok 1\n")
	require.ErrorContains(t, collect(dir, io.Discard), `steps.tsv:1: "launch ok 1" is not name, status and seconds`)
	write(t, dir, stepsFile, "launch\tok\tsoon\n")
	require.ErrorContains(t, collect(dir, io.Discard), "steps.tsv:1: ")
	write(t, dir, stepsFile, "launch\tok\t1\n")
	write(t, dir, "launch.json", "{")
	require.ErrorContains(t, collect(dir, io.Discard), "launch.json: ")
}
