//go:build mumax && linux

package mumax_test

import (
	"debug/elf"
	"os"
	"strings"
	"testing"

	"github.com/mumax/3/cuda/cu"
	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu"
	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/internal/emulator"
	"github.com/frondml/frond/gpu/mumax"
)

func init() { emulator.Binding = mumax.Binding{} }

// The loader of a program looks for nothing of CUDA's: this test would not start.
func TestProgramsStartWithoutDriver(t *testing.T) {
	path, err := os.Executable()
	require.NoError(t, err)
	program, err := elf.Open(path)
	require.NoError(t, err)
	defer program.Close()
	libraries, err := program.ImportedLibraries()
	require.NoError(t, err)
	require.NotEmpty(t, libraries)
	for _, library := range libraries {
		require.NotContains(t, library, "cuda")
	}
}

// Both bindings and cuda.h say the same about statuses that they know.
func TestStatusesHaveTheirNumbers(t *testing.T) {
	known := 0
	for s := range driver.Status(1000) {
		name := cu.Result(s).String()
		if s == driver.StatusSuccess || strings.HasPrefix(name, "Unknown") || strings.HasPrefix(s.String(), "CUDA status") {
			continue
		}
		known++
		require.Equal(t, s.String(), name)
	}
	require.Greater(t, known, 20)
}

// enter opens a driver with one device and enters its context.
func enter(t testing.TB, binding driver.Binding, configuration string) (*driver.Caller, *emulator.Emulator) {
	t.Helper()
	e := emulator.Open(t, configuration)
	d, err := driver.OpenWith(binding, e.Library)
	require.NoError(t, err)
	c := d.NewCaller()
	context, err := c.RetainPrimaryContext(0)
	require.NoError(t, err)
	require.NoError(t, c.Enter(context))
	t.Cleanup(c.Leave)
	return c, e
}

// The device of one driver, opened through both bindings.
func TestBindingsShareTheDevice(t *testing.T) {
	e := emulator.Open(t, "")
	var devices [2]*gpu.Device
	for i, binding := range []driver.Binding{nil, mumax.Binding{}} {
		var err error
		devices[i], err = gpu.Open(gpu.Options{Binding: binding, Library: e.Library})
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, e.Count("contexts"), "references to the primary context")
	require.NoError(t, devices[0].Close())
	s, err := devices[1].NewStream()
	require.NoError(t, err)
	x, err := s.Alloc(4)
	require.NoError(t, err)
	require.NoError(t, s.Upload(t.Context(), x, []byte("data")))
	got := make([]byte, 4)
	require.NoError(t, s.Download(t.Context(), got, x))
	require.Equal(t, "data", string(got))
	require.NoError(t, devices[1].Close())
	require.Zero(t, e.Count("contexts"))
}

// Package cu knows one libcuda, but calls go to the library that they are meant for,
// also in turns on one thread.
func TestLibrariesAreKeptApart(t *testing.T) {
	first, firstDevice := enter(t, mumax.Binding{}, "version=12040")
	second, secondDevice := enter(t, mumax.Binding{}, "version=13000")
	for n := range int64(3) {
		_, err := first.Alloc(1024)
		require.NoError(t, err)
		_, err = second.Alloc(512)
		require.NoError(t, err)
		require.Equal(t, firstDevice.Count("device bytes"), 2*secondDevice.Count("device bytes"), n)
	}
	version, err := first.DriverVersion()
	require.NoError(t, err)
	require.EqualValues(t, 12040, version)
	require.Equal(t, 12040, cu.Version(), "the program's own calls reach the library called last")
	version, err = second.DriverVersion()
	require.NoError(t, err)
	require.EqualValues(t, 13000, version)
	require.Equal(t, 13000, cu.Version())
}
