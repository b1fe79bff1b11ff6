// Package gputest gives tests outside of package gpu a CUDA device on machines without
// one.
package gputest

import (
	"testing"

	"github.com/frondml/frond/gpu/internal/emulator"
)

// Library returns the path of a driver, for gpu.Options.Library: that of an emulated
// device, or the one that the environment variable FROND_GPU_LIBRARY names. Package
// emulator says what a configuration may contain; an empty one is a device without
// faults. The test is skipped where the emulator cannot be built.
func Library(t testing.TB, configuration string) string {
	t.Helper()
	return emulator.Library(t, configuration)
}

// Emulated is an emulated device, whatever the environment says.
type Emulated = emulator.Emulator

// Emulate returns an emulated device that nobody else uses.
func Emulate(t testing.TB, configuration string) *Emulated {
	t.Helper()
	return emulator.Open(t, configuration)
}
