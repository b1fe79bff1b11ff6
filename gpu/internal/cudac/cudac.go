// Package cudac compiles this module's CUDA kernels to PTX with clang, and checks
// that the PTX which is committed belongs to the sources beside it.
//
// No CUDA toolkit is needed: the dialect of the kernels is one header, and the CUDA
// driver of the machine on which they run compiles the PTX further. Whoever builds
// or uses the module needs no compiler at all.
package cudac

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Compiler is the compiler that the committed PTX was made with. Another version
// writes other PTX, so it is named exactly.
const Compiler = "clang-19"

// ErrNoCompiler means that [Compiler] is not installed.
var ErrNoCompiler = errors.New(Compiler + " is not installed")

//go:embed dialect.cuh
var dialect []byte

// flags: PTX 7.8 for compute capability 8.0 is understood by every driver since CUDA
// 11.8 and runs on every device since. Products and sums are fused only where the
// kernels say so, which makes their results the same everywhere. Jump tables are not
// worth the instruction that they need.
var flags = []string{
	"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "--cuda-gpu-arch=sm_80", "--cuda-feature=+ptx78",
	"-std=c++17", "-O3", "-ffp-contract=off", "-fno-jump-tables", "-Wall", "-Wextra", "-Werror", "-S",
}

const hashPrefix = "// sha256 of the source, the dialect and the flags: "

// hash identifies what the PTX of a source depends on: the dialect, the flags, the
// source and the headers beside it that it includes.
func hash(path string) (string, error) {
	h := sha256.New()
	add := func(part []byte) {
		fmt.Fprintln(h, len(part))
		h.Write(part)
	}
	add(dialect)
	add([]byte(strings.Join(flags, " ")))
	seen := map[string]bool{"dialect.cuh": true}
	for files := []string{filepath.Base(path)}; len(files) > 0; files = files[1:] {
		if seen[files[0]] {
			continue
		}
		seen[files[0]] = true
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), files[0]))
		if err != nil {
			return "", err
		}
		add(text)
		for _, include := range includes.FindAllSubmatch(text, -1) {
			files = append(files, string(include[1]))
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

var includes = regexp.MustCompile(`(?m)^#include "([^"]+)"`)

// PTXPath returns the name of the PTX of a source.
func PTXPath(source string) string { return strings.TrimSuffix(source, ".cu") + ".ptx" }

// Compile compiles a file. The PTX begins with a line that identifies its source.
func Compile(path string) ([]byte, error) {
	compiler, err := exec.LookPath(Compiler)
	if err != nil {
		return nil, ErrNoCompiler
	}
	digest, err := hash(path)
	if err != nil {
		return nil, err
	}
	include, err := os.MkdirTemp("", "dialect")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(include)
	if err := os.WriteFile(filepath.Join(include, "dialect.cuh"), dialect, 0o600); err != nil {
		return nil, err
	}
	command := exec.Command(compiler, append(flags[:len(flags):len(flags)], "-I", include, "-o", "-", path)...)
	var messages bytes.Buffer
	command.Stderr = &messages
	ptx, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", path, err, bytes.TrimSpace(messages.Bytes()))
	}
	return append([]byte(hashPrefix+digest+"\n"), ptx...), nil
}

// ErrStale means that PTX was not made from the source beside it.
var ErrStale = errors.New("the PTX does not belong to the source: run go generate")

// Check compares the PTX beside a source with the source, by its hash and, where the
// compiler is installed, by compiling it again.
func Check(path string) error {
	digest, err := hash(path)
	if err != nil {
		return err
	}
	committed, err := os.ReadFile(PTXPath(path))
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(committed, []byte(hashPrefix+digest+"\n")) {
		return fmt.Errorf("%s: %w", path, ErrStale)
	}
	compiled, err := Compile(path)
	if errors.Is(err, ErrNoCompiler) {
		return nil
	}
	if err == nil && !bytes.Equal(compiled, committed) {
		err = fmt.Errorf("%s: %w (it was edited, or another compiler is installed as %s)", path, ErrStale, Compiler)
	}
	return err
}
