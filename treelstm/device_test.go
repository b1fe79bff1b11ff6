package main

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// socket makes what stands for everything that is not a file, such as /dev/null.
func socket(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skipf("no sockets in the file system: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return path
}

// A device is not replaced by a file, and one that cannot be written is not removed.
func TestDevicesAreLeftAlone(t *testing.T) {
	file, _ := trained(t)
	for _, args := range [][]string{
		small("-examples=8", "-epochs=1", "-out"),
		small("-examples=8", "-epochs=1", "-out", filepath.Join(t.TempDir(), "m"), "-report"),
		small("-examples=8", "-epochs=1", "-out", filepath.Join(t.TempDir(), "m"), "-curves"),
		{"predict", "-model", file, "-html"}, // with trees from standard input
	} {
		path := socket(t)
		r := commandWith(t.Context(), "(2 film)\n", append(args, path)...)
		assert.Equal(t, exitFailure, r.status, args)
		assert.Contains(t, r.err, path)
		info, err := os.Lstat(path)
		require.NoError(t, err)
		assert.Equal(t, fs.ModeSocket, info.Mode().Type(), args)
	}
}
