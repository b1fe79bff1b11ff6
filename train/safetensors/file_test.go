package safetensors

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteFileReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	for step := range 3 {
		require.NoError(t, WriteFile(path, []Tensor{Of("step", nil, []int64{int64(step)})}, nil))
		r, err := Open(path)
		require.NoError(t, err)
		var got [1]int64
		require.NoError(t, r.ReadI64("step", got[:]))
		require.NoError(t, r.Close())
		assert.Equal(t, int64(step), got[0])
	}
	assertOnly(t, path)
}

// assertOnly asserts that nothing lies beside path.
func assertOnly(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		assert.Equal(t, filepath.Base(path), e.Name(), "left behind")
	}
}

// TestReplaceFileFullDisk lets the disk run full after every possible byte.
func TestReplaceFileFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o666))
	tensors := []Tensor{Of("w", []int{3}, []float32{1, 2, 3})}
	const size = 64 + 12
	for room := range size {
		err := replaceFile(path, func(w io.Writer) error { return Write(&fullDisk{w, room}, tensors, nil) })
		require.ErrorIs(t, err, errFull, "room %d", room)
		require.ErrorContains(t, err, path)
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "old", string(got), "room %d", room)
	}
	assertOnly(t, path)
	require.NoError(t, replaceFile(path, func(w io.Writer) error { return Write(&fullDisk{w, size}, tensors, nil) }))
	stat, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, int64(size), stat.Size())
}

func TestWriteFileSourceFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.safetensors")
	broken := errors.New("broken")
	require.ErrorIs(t, WriteFile(path, []Tensor{Raw("w", U8, []int{1 << 20}, failingReader{broken})}, nil), broken)
	require.NoFileExists(t, path)
	assertOnly(t, path)
}

// faultyFile is a file whose Sync or Close fails.
type faultyFile struct {
	*os.File
	syncErr, closeErr error
	closes            int
}

func (f *faultyFile) Sync() error { return errors.Join(f.File.Sync(), f.syncErr) }

func (f *faultyFile) Close() error {
	f.closes++
	return errors.Join(f.File.Close(), f.closeErr)
}

func TestCommitSyncAndCloseFail(t *testing.T) {
	fault := errors.New("input/output error")
	for name, faulty := range map[string]*faultyFile{"sync": {syncErr: fault}, "close": {closeErr: fault}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "model.safetensors")
			require.NoError(t, os.WriteFile(path, []byte("old"), 0o666))
			f, err := createTemp(filepath.Dir(path))
			require.NoError(t, err)
			faulty.File = f
			err = commit(faulty, f.Name(), path, func(w io.Writer) error { return Write(w, nil, nil) })
			require.ErrorIs(t, err, fault)
			assert.Equal(t, 1, faulty.closes)
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, "old", string(got))
			assertOnly(t, path)
		})
	}
}

func TestWriteFileNowhere(t *testing.T) {
	dir := t.TempDir()
	require.ErrorIs(t, WriteFile(filepath.Join(dir, "absent", "m.safetensors"), nil, nil), os.ErrNotExist)

	taken := filepath.Join(dir, "taken")
	require.NoError(t, os.Mkdir(taken, 0o777))
	require.Error(t, WriteFile(taken, nil, nil), "the name is that of a directory")
	assertOnly(t, taken)
}

// TestWriteFileLongName has a name for which a derived temporary name is too long.
func TestWriteFileLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 250))
	require.NoError(t, WriteFile(path, nil, nil))
}

func TestWriteFilePermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ordinary"), nil, 0o666))
	require.NoError(t, WriteFile(filepath.Join(dir, "model"), nil, nil))
	want, err := os.Stat(filepath.Join(dir, "ordinary"))
	require.NoError(t, err)
	got, err := os.Stat(filepath.Join(dir, "model"))
	require.NoError(t, err)
	assert.Equal(t, want.Mode(), got.Mode())
}

// What is not a file, here a socket, stays what it is.
func TestWriteFileNotOverDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skipf("no sockets in the file system: %v", err)
	}
	defer l.Close()
	require.ErrorContains(t, WriteFile(path, nil, nil), "not a regular file")
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, fs.ModeSocket, info.Mode().Type())
}
