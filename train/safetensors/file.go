package safetensors

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile writes tensors and meta to the file path as Write does, and replaces
// what was there atomically: a reader of path, also after a crash, sees the old
// file or the complete new one. The data goes to a temporary file in the same
// directory, is flushed to the disk and renamed; then the directory is flushed.
//
// On an error before the rename path is untouched and the temporary file removed.
// Only an error that says "flushing directory" leaves the new file in place, not
// yet certain to survive a power failure. A process that is killed may leave a
// file ".safetensors-*.tmp" behind. The new file has the permissions of a newly
// created one; a symbolic link at path is replaced, not followed. What is neither a
// file nor a link to one, such as a device, is left alone, with an error.
func WriteFile(path string, tensors []Tensor, meta map[string]string) error {
	return replaceFile(path, func(w io.Writer) error { return Write(w, tensors, meta) })
}

// replaceFile gives path the content that fill writes.
func replaceFile(path string, fill func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// Renaming would put a file in the place of a device.
		return fmt.Errorf("safetensors: writing %s: not a regular file but %v", path, info.Mode())
	}
	dir := filepath.Dir(path)
	f, err := createTemp(dir)
	if err != nil {
		return fmt.Errorf("safetensors: writing %s: %w", path, err)
	}
	if err := commit(f, f.Name(), path, fill); err != nil {
		return fmt.Errorf("safetensors: writing %s: %w", path, err)
	}
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("safetensors: writing %s: flushing directory: %w", path, err)
	}
	return nil
}

// createTemp creates a new file in dir. Unlike os.CreateTemp it leaves the
// permissions to the umask, because the file is going to be the user's.
func createTemp(dir string) (*os.File, error) {
	for tries := 0; ; tries++ {
		name := filepath.Join(dir, fmt.Sprintf(".safetensors-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || tries == 100 {
			return f, err
		}
	}
}

// durable is the part of *os.File that commit needs.
type durable interface {
	io.Writer
	Sync() error
	Close() error
}

// commit fills f, flushes and closes it and renames it from temp to path. When
// anything fails it removes temp.
func commit(f durable, temp, path string, fill func(io.Writer) error) (err error) {
	closed := false
	defer func() {
		if err == nil {
			return
		}
		if !closed {
			err = errors.Join(err, f.Close())
		}
		err = errors.Join(err, os.Remove(temp))
	}()
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("flushing: %w", err)
	}
	// A failed Close has still released the file: it must not be closed again.
	closed = true
	if err := f.Close(); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return os.Rename(temp, path)
}

// syncDir makes a rename within dir durable. Windows cannot flush a directory and
// journals renames itself.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
