//go:build linux && (amd64 || arm64)

package emulator

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

//go:embed src
var sources embed.FS

// flags of the compiler. Contraction of products and sums into fused ones would
// change results that the PTX defines.
var flags = []string{"-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"}

// errNoCompiler means that there is nothing to build the library with.
var errNoCompiler = errors.New("g++ is not installed, so the emulated CUDA driver cannot be built")

// install puts a copy of the library at a path, building it if necessary.
func install(path string) error {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		return errNoCompiler
	}
	key, err := buildKey(compiler)
	if err != nil {
		return err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("no place to keep the emulated CUDA driver: %w", err)
	}
	cache := filepath.Join(base, "frond", "emulator")
	directory := filepath.Join(cache, key)
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	// Test binaries of several packages run at once; the first one builds.
	unlock, err := lock(filepath.Join(directory, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	library := filepath.Join(directory, "libcuda.so.1")
	contents, err := os.ReadFile(library)
	if errors.Is(err, fs.ErrNotExist) {
		forgetUnused(cache)
		if err := build(compiler, library); err != nil {
			return err
		}
		contents, err = os.ReadFile(library)
	}
	if err != nil {
		return err
	}
	now := time.Now()
	if err := os.Chtimes(library, now, now); err != nil {
		return err
	}
	return os.WriteFile(path, contents, 0o700)
}

// keep is how long a library that nobody uses stays in the cache.
const keep = 3 * 24 * time.Hour

// forgetUnused removes libraries of other versions that have not been used for long.
func forgetUnused(cache string) {
	libraries, err := filepath.Glob(filepath.Join(cache, "*", "libcuda.so.1"))
	if err != nil {
		return
	}
	for _, library := range libraries {
		if info, err := os.Stat(library); err == nil && time.Since(info.ModTime()) > keep {
			os.RemoveAll(filepath.Dir(library))
		}
	}
}

func lock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		file.Close()
		return nil, err
	}
	return func() { file.Close() }, nil
}

// buildKey identifies what a build depends on.
func buildKey(compiler string) (string, error) {
	hash := sha256.New()
	version, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(hash, string(version), flags)
	err = fs.WalkDir(sources, "src", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		contents, err := sources.ReadFile(path)
		fmt.Fprintln(hash, path, len(contents))
		hash.Write(contents)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}

// build compiles the library next to its final place and moves it there, so that
// a build that is interrupted leaves nothing that looks finished.
func build(compiler, library string) error {
	directory, err := os.MkdirTemp(filepath.Dir(library), "build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	if err := os.CopyFS(directory, sources); err != nil {
		return err
	}
	output := filepath.Join(directory, "libcuda.so.1")
	command := exec.Command(compiler, append(flags[:len(flags):len(flags)], "-o", output, filepath.Join(directory, "src", "library.cc"))...)
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the emulated CUDA driver: %w\n%s", err, bytes.TrimSpace(text))
	}
	return os.Rename(output, library)
}
