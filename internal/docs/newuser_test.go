package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newModule makes an empty module outside of the repository that imports Frond from
// this checkout, and returns its directory.
func newModule(t *testing.T) string {
	checkout, err := filepath.Abs(root)
	require.NoError(t, err)
	dir := t.TempDir()
	mod := fmt.Sprintf("module example.com/newuser\n\ngo 1.26.0\n\nrequire github.com/frondml/frond v0.0.0\n\nreplace github.com/frondml/frond => %q\n", checkout)
	write(t, dir, "go.mod", mod)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	write(t, dir, "go.sum", string(sums))
	return dir
}

func write(t *testing.T, dir, name, text string) {
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// goCommand runs the go command in a directory, without the network: what the library
// needs is in the module cache, or this test would not have been compiled.
func goCommand(t *testing.T, dir string, args ...string) string {
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

// readmeBlock returns the only Go block of the README that contains a word.
func readmeBlock(t *testing.T, word string) string {
	var found []string
	for _, b := range blocks(t, "README.md") {
		if b.lang == "go" && strings.Contains(b.text(), word) {
			found = append(found, b.text())
		}
	}
	require.Len(t, found, 1, "Go blocks of the README with %q", word)
	return found[0]
}

// wholeExample returns the example that the README leads to as a program, split at the
// model, which the README shows.
func wholeExample(t *testing.T) (imports, model, main string, output []string) {
	text := strings.Join(readPage(t, "example_test.go"), "\n")
	imports, rest, ok := strings.Cut(text, "// Tree is a binary tree")
	require.True(t, ok)
	model, main, ok = strings.Cut(rest, "// The network learns")
	require.True(t, ok)
	imports = strings.Replace(imports, "package frond_test", "package main", 1)
	main = strings.Replace("// The network learns"+main, "func Example()", "func main()", 1)
	outs := outputs(t, ".")
	require.Len(t, outs, 1)
	return imports, "// Tree is a binary tree" + model, main, outs[0]
}

// Who copies the model of the README and the rest of the example into an empty module
// has a program that trains.
func TestReadmeModelInAnEmptyModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	imports, _, main, output := wholeExample(t)
	dir := newModule(t)
	write(t, dir, "main.go", imports+readmeBlock(t, "func Classifier")+"\n"+main)
	got := goCommand(t, dir, "run", ".")
	assert.Equal(t, strings.TrimSpace(strings.Join(output, "\n")), strings.TrimSpace(got))
	goCommand(t, dir, "vet", ".")
}

// The lines of the README about sessions compile once the dots are filled in.
func TestReadmeSessionCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	dir := newModule(t)
	session := strings.ReplaceAll(readmeBlock(t, "exec.New"), "...,", "nil,")
	session = strings.ReplaceAll(session, "...}", "nil}")
	write(t, dir, "main.go", `package main

import (
	"context"

	"github.com/frondml/frond/exec"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

`+readmeBlock(t, "func Classifier")+`
type tree struct{ Word, Left, Right, Label []int32 }

func main() {
	ctx := context.Background()
	m := graph.NewModule("readme")
	model := Classifier(m, 4, 8, 2)
`+session+`
	_, _ = scores, err
}
`)
	goCommand(t, dir, "build", "-o", os.DevNull, ".")
}

// The README leaves out nothing of the model that the example has.
func TestReadmeShowsTheModelOfTheExample(t *testing.T) {
	_, model, _, _ := wholeExample(t)
	code := func(text string) []string {
		var lines []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	assert.Equal(t, code(model), code(readmeBlock(t, "func Classifier")))
}
