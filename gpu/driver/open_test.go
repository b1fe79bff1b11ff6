package driver_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frondml/frond/gpu/driver"
	"github.com/frondml/frond/gpu/internal/emulator"
)

func TestMissingLibrary(t *testing.T) {
	_, err := driver.OpenWith(emulator.Binding, filepath.Join(t.TempDir(), driver.Library))
	require.ErrorIs(t, err, driver.ErrNoDriver)
	if runtime.GOOS == "linux" {
		require.ErrorContains(t, err, "cannot open shared object file")
	}
}

func TestFileThatIsNoLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), driver.Library)
	require.NoError(t, os.WriteFile(path, []byte("not an object file"), 0o644))
	_, err := driver.OpenWith(emulator.Binding, path)
	require.ErrorIs(t, err, driver.ErrNoDriver)
	require.ErrorContains(t, err, path)
}

func TestLibraryThatIsNoDriver(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks for the C library of Linux")
	}
	_, err := driver.OpenWith(emulator.Binding, "libc.so.6")
	require.ErrorIs(t, err, driver.ErrNoDriver)
	require.ErrorContains(t, err, "libc.so.6 does not export cuInit")
}

// On a machine without a driver the default library is missing as well; on one with
// a driver this opens it.
func TestDefaultLibrary(t *testing.T) {
	d, err := driver.OpenWith(emulator.Binding, "")
	if err != nil {
		require.ErrorContains(t, err, driver.Library)
		t.Log(err)
		return
	}
	require.GreaterOrEqual(t, d.Version(), driver.MinimumVersion)
}

func TestVersionString(t *testing.T) {
	require.Equal(t, "11.8", driver.MinimumVersion.String())
	require.Equal(t, "13.0", driver.Version(13000).String())
}

func TestErrorNamesCallStatusAndDetail(t *testing.T) {
	err := &driver.Error{Call: "cuMemAlloc_v2", Status: 2, Detail: "16 bytes"}
	require.EqualError(t, err, "cuMemAlloc_v2: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2): 16 bytes")
	require.ErrorIs(t, err, driver.ErrMemory)

	unknown := &driver.Error{Call: "cuInit", Status: 12345}
	require.EqualError(t, unknown, "cuInit: unknown status (CUDA status 12345, 12345)")
	require.NotErrorIs(t, unknown, driver.ErrKernel)
}

func TestStickyStatuses(t *testing.T) {
	for _, s := range []driver.Status{214, 700, 702, 710, 716, 719, 999} {
		require.True(t, s.Sticky(), s)
	}
	for _, s := range []driver.Status{0, 1, 2, 100, 201, 400, 600, 701} {
		require.False(t, s.Sticky(), s)
	}
}
