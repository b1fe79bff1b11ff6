package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// generate runs the generator and returns its files by path.
func generate(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestCommittedFilesAreCurrent regenerates everything and compares.
func TestCommittedFilesAreCurrent(t *testing.T) {
	files := generate(t)
	if len(files) != 8 {
		t.Errorf("%d files, want 8", len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s differs from what the generator writes: run go generate", name)
		}
	}
}

// TestEveryReturnClearsUpperHalves guards the SSE code that runs after a kernel.
func TestEveryReturnClearsUpperHalves(t *testing.T) {
	returns := 0
	for name, text := range generate(t) {
		if filepath.Ext(name) != ".s" {
			continue
		}
		previous := ""
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(line)
			if line == "RET" {
				returns++
				if previous != "VZEROUPPER" {
					t.Errorf("%s: RET after %q", name, previous)
				}
			}
			previous = line
		}
	}
	if returns < len(gemmShapes) {
		t.Errorf("%d returns: the kernels are missing", returns)
	}
}
