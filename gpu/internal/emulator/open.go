//go:build linux && (amd64 || arm64)

package emulator

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Emulator is a loaded copy of the library, a device that nobody else uses.
type Emulator struct {
	// Library is the path by which package driver opens it.
	Library string

	log, count uintptr
}

// Open loads a copy of the library with the given configuration. It skips the test
// where the library cannot be built, and shows the emulator's log if the test fails.
func Open(t testing.TB, configuration string) *Emulator {
	t.Helper()
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := install(path); errors.Is(err, errNoCompiler) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	e, configure := load(t, path)
	message := make([]byte, 256)
	text := append([]byte(configuration), 0)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&message[0])
	pin.Pin(&text[0])
	status, _, _ := purego.SyscallN(configure, uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&message[0])), uintptr(len(message)))
	if int32(status) != 0 {
		t.Fatalf("emulator: %s", strings.TrimRight(string(message), "\x00"))
	}
	t.Cleanup(func() {
		if log := e.Log(); t.Failed() && log != "" {
			t.Logf("log of the emulated device:\n%s", log)
		}
	})
	return e
}

// Library returns the driver for a test that a real device must pass as well: that
// of an emulated device, unless the environment variable FROND_GPU_LIBRARY names
// another.
func Library(t testing.TB, configuration string) string {
	t.Helper()
	if library := os.Getenv("FROND_GPU_LIBRARY"); library != "" {
		return library
	}
	return Open(t, configuration).Library
}

func load(t testing.TB, path string) (e *Emulator, configure uintptr) {
	t.Helper()
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	e = &Emulator{Library: path}
	for name, address := range map[string]*uintptr{
		"frond_emulator_configure": &configure,
		"frond_emulator_log":       &e.log,
		"frond_emulator_count":     &e.count,
	} {
		if *address, err = purego.Dlsym(handle, name); err != nil {
			t.Fatal(err)
		}
	}
	return e, configure
}

// Log returns what has gone wrong on the device, a line each: out-of-bounds
// accesses and races with the kernel and the line of the PTX.
func (e *Emulator) Log() string {
	buffer := make([]byte, 64<<10)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&buffer[0])
	n, _, _ := purego.SyscallN(e.log, uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
	return string(buffer[:n])
}

// Count returns how much the program holds of something: "device bytes", "pinned
// bytes", "streams", "events", "modules" or "contexts".
func (e *Emulator) Count(what string) int64 {
	text := append([]byte(what), 0)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&text[0])
	n, _, _ := purego.SyscallN(e.count, uintptr(unsafe.Pointer(&text[0])))
	return int64(n)
}
