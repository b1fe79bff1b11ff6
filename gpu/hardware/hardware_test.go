package hardware

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/internal/emulator"
)

// TestScripts builds what a machine with a GPU is given and runs it on the emulated
// device: every step that needs no tool of NVIDIA's, with the tests of package gpu.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	for _, program := range []string{"bash", "git", "go", "gzip", "timeout"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	library := emulator.Open(t, "").Library
	dir := t.TempDir()
	build, out := filepath.Join(dir, "build"), filepath.Join(dir, "out")
	text, err := exec.Command("./prepare", build, "./gpu").CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.FileExists(t, filepath.Join(build, "tests", "gpu", "gpu.test.gz"))

	// Only what was built is there, and no Go.
	script := exec.Command(filepath.Join(build, "run"), "-emulated", library)
	script.Dir = dir
	script.Env = append(os.Environ(), "OUT="+out, "GOROOT=/nonexistent", "GOPATH=/nonexistent")
	text, err = script.CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.Contains(t, string(text), "THE DEVICE WAS EMULATED")

	content, err := os.ReadFile(filepath.Join(out, "results.json"))
	require.NoError(t, err)
	var results struct {
		Date     string
		Emulated bool
		Steps    []struct {
			Name, Status    string
			Passed, Skipped int
		}
		Reports []struct {
			Card         struct{ Name string }
			Measurements []struct{ Part string }
		}
	}
	require.NoError(t, json.Unmarshal(content, &results))
	require.NotEmpty(t, results.Date)
	require.True(t, results.Emulated)
	status := map[string]string{}
	for _, s := range results.Steps {
		status[s.Name], _, _ = strings.Cut(s.Status, ":")
		if s.Name == "test-gpu" {
			require.Positive(t, s.Passed)
			require.Positive(t, s.Skipped, "those that configure the device themselves")
		}
	}
	require.Equal(t, map[string]string{
		"ptxas": "skipped", "load": "ok", "test-gpu": "ok", "launch": "ok", "copy": "ok", "gemm": "ok", "trees": "ok",
		"memcheck": "skipped", "racecheck": "skipped",
	}, status)
	require.Len(t, results.Reports, 5)
	for _, r := range results.Reports {
		require.Equal(t, "emulated device", r.Card.Name)
		require.NotEmpty(t, r.Measurements)
	}
	summary, err := os.ReadFile(filepath.Join(out, "summary.txt"))
	require.NoError(t, err)
	require.Contains(t, string(text), string(summary))
	log, err := os.ReadFile(filepath.Join(out, "log.txt"))
	require.NoError(t, err)
	require.Contains(t, string(log), "==== test-gpu: ok")
}

// Steps that fail are told, and the others run.
func TestStepsThatFail(t *testing.T) {
	for _, program := range []string{"bash", "gzip", "timeout"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	build := filepath.Join(dir, "build")
	require.NoError(t, os.MkdirAll(filepath.Join(build, "tests", "slow"), 0o700))
	copyScript(t, build)
	// A benchmark that fails in one part, and tests that never end.
	program(t, build, "bench", `case "$*" in *" load") exit 3 ;; "-collect "*) cp "$2/steps.tsv" "$2/summary.txt" ;; esac`)
	program(t, build, "slow.test", "exec /bin/sleep 60")
	text, err := exec.Command("gzip", filepath.Join(build, "slow.test")).CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.NoError(t, os.Rename(filepath.Join(build, "slow.test.gz"), filepath.Join(build, "tests", "slow", "slow.test.gz")))
	require.NoError(t, os.WriteFile(filepath.Join(build, "prepared.txt"), nil, 0o600))

	script := exec.Command(filepath.Join(build, "run"), "-emulated", filepath.Join(build, "bench"))
	script.Env = append(os.Environ(), "OUT="+filepath.Join(dir, "out"), "FROND_HARDWARE_SECONDS=3")
	text, err = script.CombinedOutput()
	require.Error(t, err)
	for _, want := range []string{
		"load\tfailed with status 3", "test-slow\tended after ", "gemm\tnot run: no time is left", "memcheck\tskipped: there is no compute-sanitizer",
	} {
		require.Contains(t, string(text), want)
	}
}

func copyScript(t *testing.T, build string) {
	t.Helper()
	script, err := os.ReadFile("run")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(build, "run"), script, 0o700))
}

// program writes a program of the shell.
func program(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/bash\n"+text+"\n"), 0o700))
}
