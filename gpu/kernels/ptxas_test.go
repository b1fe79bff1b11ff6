package kernels_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var writeTable = flag.Bool("table", false, "write the table of resources into README.md")

// targets are the architectures whose resources README.md shows.
var targets = []string{"sm_80", "sm_90"}

// ptxas finds NVIDIA's assembler: by the environment variable FROND_PTXAS, in the path,
// or in the wheel nvidia-cuda-nvcc of the Python that is in the path.
func ptxas(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("FROND_PTXAS"); path != "" {
		return path
	}
	if path, err := exec.LookPath("ptxas"); err == nil {
		return path
	}
	const find = `import nvidia, pathlib
for p in nvidia.__path__:
    for f in pathlib.Path(p).glob("*/bin/ptxas"): print(f)`
	output, err := exec.Command("python3", "-c", find).Output()
	path, _, found := strings.Cut(string(output), "\n")
	if err != nil || !found {
		t.Skip("no ptxas: set FROND_PTXAS, or pip install nvidia-cuda-nvcc-cu12")
	}
	return path
}

// resources are what a thread of a kernel takes on a target, as ptxas reports it.
type resources struct{ registers, spills, shared int }

// The assembler of the device accepts every kernel, and none spills registers.
func TestAssembler(t *testing.T) {
	assembler := ptxas(t)
	version, err := exec.Command(assembler, "--version").Output()
	require.NoError(t, err)
	release := regexp.MustCompile(`release \S+ V\S+`).FindString(strings.ReplaceAll(string(version), ",", ""))
	files, err := filepath.Glob("cuda/*.ptx")
	require.NoError(t, err)
	var lines []string
	for _, file := range files {
		perTarget := map[string]map[string]resources{}
		for _, target := range targets {
			perTarget[target] = assemble(t, assembler, file, target)
		}
		lines = append(lines, tableLines(t, file, perTarget)...)
	}
	checkTable(t, release, lines)
}

// assemble returns the resources of the kernels of a file.
func assemble(t *testing.T, assembler, file, target string) map[string]resources {
	t.Helper()
	command := exec.Command(assembler, "-v", "-arch="+target, "-o", filepath.Join(t.TempDir(), "out"), file)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s for %s:\n%s", file, target, output)
	kernels := map[string]resources{}
	for _, text := range strings.Split(string(output), "Compiling entry function '")[1:] {
		name, text, _ := strings.Cut(text, "'")
		r := resources{
			registers: figure(text, `Used (\d+) registers`), shared: figure(text, `(\d+) bytes smem`),
			spills: figure(text, `(\d+) bytes spill stores`) + figure(text, `(\d+) bytes spill loads`),
		}
		require.Positive(t, r.registers, text)
		require.Zero(t, r.spills, "%s for %s spills registers", name, target)
		kernels[name] = r
	}
	return kernels
}

// figure returns a number of a text, or 0 if it is not there.
func figure(text, pattern string) int {
	n := 0
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	return n
}

// tableLines returns a line per kernel of a file.
func tableLines(t *testing.T, file string, perTarget map[string]map[string]resources) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var lines []string
	for _, m := range regexp.MustCompile(`\.entry (\w+)\(`).FindAllStringSubmatch(string(text), -1) {
		line := fmt.Sprintf("| %s | %s |", filepath.Base(file), m[1])
		for _, target := range targets {
			r, known := perTarget[target][m[1]]
			require.True(t, known, "ptxas says nothing about %s for %s", m[1], target)
			line += fmt.Sprintf(" %d | %d | %d |", r.registers, r.spills, r.shared)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// checkTable compares the table in README.md with what the assembler says, if it is the
// one that the table was made with. Others give other numbers of registers.
func checkTable(t *testing.T, release string, lines []string) {
	t.Helper()
	const path = "README.md"
	readme, err := os.ReadFile(path)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(readme), tableHead)
	require.True(t, found, "README.md has no table")
	table := tableHead + strings.Join(lines, "\n") + "\n"
	if *writeTable {
		head = regexp.MustCompile(`release \S+ V[\d.]+`).ReplaceAllString(head, release)
		require.NoError(t, os.WriteFile(path, []byte(head+table), 0o644))
		return
	}
	if !strings.Contains(head, release) {
		t.Logf("the table of README.md is not of %s", release)
		return
	}
	require.Equal(t, head+table, string(readme), "go test ./gpu/kernels -run Assembler -table")
}

const tableHead = `| file | kernel | registers (sm_80) | spilled bytes | shared bytes | registers (sm_90) | spilled bytes | shared bytes |
|---|---|---|---|---|---|---|---|
`
