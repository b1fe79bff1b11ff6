package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/train"
)

// asProgram makes the test binary be the program.
const asProgram = "TREELSTM_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// startProgram starts the program as a process of its own.
func startProgram(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// stateOf returns how far the state in a file had come, nil without a file.
func stateOf(t *testing.T, path string) *train.Progress {
	t.Helper()
	f, err := train.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err, "whenever the process is killed the file is whole")
	defer f.Close()
	return f.Progress()
}

// A process that is killed in the middle of an epoch, again and again, and resumed, with
// another number of workers too, ends with the files of one that was left alone.
func TestKilledProcessGoesOn(t *testing.T) {
	dir := sentimentData(t)
	args := func(out string, more ...string) []string {
		return append(small("-data", dir, "-out", out, "-epochs=12", "-dropout=0.3", "-deterministic", "-patience=0"), more...)
	}
	whole := filepath.Join(t.TempDir(), "m.safetensors")
	require.Zero(t, treelstm(t, args(whole)...).status)

	file := filepath.Join(t.TempDir(), "m.safetensors")
	killed, midEpoch := 0, 0
	for before := int64(0); ; killed++ {
		more := []string{"-save-every=3", "-workers=2"}
		if killed > 0 {
			more = append(more, "-resume")
		}
		cmd := startProgram(t, args(file, more...)...)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if done := killWhenSaved(t, cmd, ended, lastFile(file), before+20); done {
			break
		}
		p := stateOf(t, lastFile(file))
		require.NotNil(t, p)
		require.Greater(t, p.Steps, before, "it went on from where it was")
		before = p.Steps
		if p.Position > 0 {
			midEpoch++
		}
	}
	require.Positive(t, midEpoch, "no kill left the state of a running epoch: the test tests nothing")
	for _, of := range []func(string) string{func(s string) string { return s }, lastFile} {
		want, err := os.ReadFile(of(whole))
		require.NoError(t, err)
		got, err := os.ReadFile(of(file))
		require.NoError(t, err)
		assert.Equal(t, want, got, "after %d kills, %d within an epoch", killed, midEpoch)
	}
}

// killWhenSaved kills a process once its state has come to a step, and returns whether
// it had ended by itself.
func killWhenSaved(t *testing.T, cmd *exec.Cmd, ended <-chan error, path string, step int64) bool {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case err := <-ended:
			require.NoError(t, err)
			return true
		case <-deadline:
			require.Fail(t, "the process neither ends nor saves")
		case <-time.After(time.Millisecond):
		}
		if p := stateOf(t, path); p != nil && p.Steps >= step {
			require.NoError(t, cmd.Process.Kill())
			return <-ended == nil
		}
	}
}

// A signal ends the program with its own status, and nothing is lost.
func TestSignalsSaveTheState(t *testing.T) {
	dir := sentimentData(t)
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		file := filepath.Join(t.TempDir(), "m.safetensors")
		cmd := exec.Command(os.Args[0], small("-data", dir, "-out", file, "-epochs=100000", "-patience=0")...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { return stateOf(t, lastFile(file)) != nil }, time.Minute, time.Millisecond)
		require.NoError(t, cmd.Process.Signal(signal))
		require.Error(t, cmd.Wait())
		assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode(), errs.String())
		assert.Regexp(t, `treelstm: interrupted in epoch \d+ after \d+ of 120 trees; saved to `, errs.String())
	}
}

// Where there is no room for a new model the old one stays, and nothing else.
func TestFullDiskKeepsTheOldModel(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here to limit the size of files with")
	}
	file, dir := trained(t)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Greater(t, len(before), 1024)
	args := append([]string{"-c", `ulimit -f 1; exec "$@"`, "sh", os.Args[0]}, small("-data", dir, "-out", file, "-epochs=1")...)
	cmd := exec.Command(sh, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, exitFailure, cmd.ProcessState.ExitCode(), string(out))
	assert.Contains(t, string(out), "treelstm: epoch 1: train: saving "+file)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	assert.Len(t, left, 2, "the model and its last state")
}
