//go:build !linux || (!amd64 && !arm64)

package emulator

import "testing"

// Emulator is a loaded copy of the library, a device that nobody else uses.
type Emulator struct {
	// Library is the path by which package driver opens it.
	Library string
}

// Open skips the test: the library is built for Linux only.
func Open(t testing.TB, _ string) *Emulator {
	t.Helper()
	t.Skip("the emulated CUDA driver is built for linux/amd64 and linux/arm64 only")
	return nil
}

// Library skips the test: a driver is opened on Linux only.
func Library(t testing.TB, configuration string) string {
	t.Helper()
	return Open(t, configuration).Library
}

// Log returns nothing.
func (e *Emulator) Log() string { return "" }

// Count returns nothing.
func (e *Emulator) Count(string) int64 { return 0 }
