package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/exec/device/host"
)

// standIn is a device on the processor that stands for a CUDA device. Whoever closes it
// must have given everything back.
type standIn struct {
	*host.Device
	t      *testing.T
	closed *int
}

func (d standIn) Close() error {
	assert.Zero(d.t, d.Held())
	*d.closed++
	return nil
}

// standsIn makes -device cuda a device with options, and returns how often one was closed.
func standsIn(t *testing.T, o host.Options) *int {
	t.Helper()
	closed, real := 0, openCUDA
	openCUDA = func(int) (closingDevice, error) { return standIn{host.New(o), t, &closed}, nil }
	t.Cleanup(func() { openCUDA = real })
	return &closed
}

func TestDeviceFlag(t *testing.T) {
	for text, want := range map[string]deviceFlag{
		"cpu": {}, "cuda": {cuda: true}, "cuda:0": {cuda: true}, "cuda:3": {true, 3},
	} {
		var d deviceFlag
		require.NoError(t, d.Set(text))
		assert.Equal(t, want, d, text)
		var again deviceFlag
		require.NoError(t, again.Set(d.String()))
		assert.Equal(t, d, again)
	}
	for _, text := range []string{"", "gpu", "cpu:0", "cuda:", "cuda:-1", "cuda:x", "cuda:99999999"} {
		assert.ErrorContains(t, new(deviceFlag).Set(text), "want cpu, cuda or cuda:N", text)
	}
}

// All commands that compute do so on a device, and come to what they come to without.
func TestCommandsOnADevice(t *testing.T) {
	closed := standsIn(t, host.Options{Poison: true, Check: true})
	file, dir := trained(t)
	there := filepath.Join(t.TempDir(), "there.safetensors")
	r := treelstm(t, small("-data", dir, "-out", there, "-epochs=6", "-dropout=0", "-min-count=1", "-device=cuda")...)
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, "1 worker, host (")
	for _, args := range [][]string{{"eval", "-split=dev"}, {"predict", "(3 (2 film) (4 good))"}} {
		var outs []string
		for _, model := range []string{file, there} {
			for _, device := range []string{"cpu", "cuda:0"} {
				r := treelstm(t, append([]string{args[0], "-model", model, "-device", device}, args[1:]...)...)
				require.Zero(t, r.status, r.err)
				outs = append(outs, r.out)
			}
		}
		for _, out := range outs[1:] {
			alike(t, outs[0], out)
		}
	}
	r = treelstm(t, "bench", "-model", there, "-device=cuda", "-batch=4", "-workers=1,2", "-time=1ms", "-trees=8")
	require.Zero(t, r.status, r.err)
	assert.Contains(t, r.out, "host (")
	assert.Equal(t, 6, *closed, "train, and twice eval and predict, and bench")
}

// alike compares outputs: words are the same, numbers close, and speed is free.
func alike(t *testing.T, want, got string) {
	t.Helper()
	fields := func(s string) []string {
		return strings.Fields(regexp.MustCompile(`\d+ trees/s`).ReplaceAllString(s, ""))
	}
	require.Len(t, fields(got), len(fields(want)), got)
	for i, w := range fields(want) {
		g := fields(got)[i]
		x, err := strconv.ParseFloat(strings.TrimSuffix(w, "%"), 64)
		if err != nil {
			require.Equal(t, w, g, got)
			continue
		}
		require.InDelta(t, x, number(t, strings.TrimSuffix(g, "%")), 0.02, got)
	}
}

// When the device fails, training goes on from the state that is saved then.
func TestTrainingOnADeviceThatIsLost(t *testing.T) {
	var operations, limit atomic.Int64
	standsIn(t, host.Options{Failure: func(string) error {
		if operations.Add(1) == limit.Load() {
			return errors.New("unplugged")
		}
		return nil
	}})
	dir := sentimentData(t)
	train := func(out string, args ...string) result {
		return treelstm(t, append(small("-data", dir, "-out", out, "-epochs=3", "-dropout=0", "-min-count=1", "-deterministic"), args...)...)
	}
	whole := filepath.Join(t.TempDir(), "whole.safetensors")
	r := train(whole, "-device=cuda")
	require.Zero(t, r.status, r.err)

	limit.Store(operations.Swap(0) / 2)
	out := filepath.Join(t.TempDir(), "m.safetensors")
	r = train(out, "-device=cuda")
	require.Equal(t, exitFailure, r.status, r.err)
	for _, want := range []string{"device lost", "unplugged", "training went back to its state after step 15", "saved to " + lastFile(out), "-resume goes on"} {
		assert.Contains(t, r.err, want)
	}
	r = train(out, "-device=cuda", "-resume")
	require.Zero(t, r.status, r.err)
	want, err := os.ReadFile(whole)
	require.NoError(t, err)
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, want, got, "a device that was lost leaves no trace")

	operations.Store(0)
	limit.Store(50)
	r = train(filepath.Join(t.TempDir(), "n.safetensors"), "-device=cuda")
	require.Equal(t, exitFailure, r.status, r.err)
	assert.Contains(t, r.err, "nothing was saved")
}

func TestDeviceErrors(t *testing.T) {
	t.Setenv(libraryVariable, filepath.Join(t.TempDir(), "libcuda.so.1"))
	r := treelstm(t, "predict", "-device=cuda:1", "(3 good)")
	assert.Equal(t, exitFailure, r.status)
	for _, want := range []string{"-device cuda:1", "no CUDA driver", os.Getenv(libraryVariable), libraryVariable + " names its library"} {
		assert.Contains(t, r.err, want)
	}
	for _, command := range []string{"train", "eval"} {
		r := treelstm(t, command, "-device=cuda", "-opprofile=x")
		assert.Equal(t, exitUsage, r.status)
		assert.Contains(t, r.err, command+": -opprofile tells what the processor does: want -device cpu")
	}
}
