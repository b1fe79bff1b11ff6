package docs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command is a line of a shell block that runs a program of the repository.
type command struct {
	block block
	dir   string   // where it is run, relative to the root
	args  []string // the package, and what the program is given
}

// commands returns the lines "go run ..." in the shell blocks of a page.
func commands(t *testing.T, page string) []command {
	var all []command
	for _, b := range blocks(t, page) {
		if b.lang != "sh" {
			continue
		}
		dir := "."
		for _, line := range b.lines {
			line, _, _ = strings.Cut(line, " #")
			if to, ok := strings.CutPrefix(line, "cd "); ok {
				to, line, _ = strings.Cut(to, " && ")
				dir = strings.TrimSpace(to)
			}
			if args := fields(line); len(args) > 2 && args[0] == "go" && args[1] == "run" {
				all = append(all, command{b, dir, args[2:]})
			}
		}
	}
	return all
}

var word = regexp.MustCompile(`'[^']*'|\S+`)

// fields splits a command at blanks outside of single quotes.
func fields(line string) []string {
	words := word.FindAllString(line, -1)
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	return words
}

// Packages that commands name exist, and programs know the flags that they are given.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles programs")
	}
	help := map[string]string{}
	for _, page := range append(pages(t), "README.md", "examples/README.md") {
		for _, c := range commands(t, page) {
			checkRun(t, c, help)
		}
	}
	assert.NotEmpty(t, help)
}

// checkRun asserts that a command names a program and gives it flags that it has. The
// map holds what programs have said about their flags.
func checkRun(t *testing.T, c command, help map[string]string) {
	dir := filepath.Join(root, c.dir)
	pkg, args := c.args[0], c.args[1:]
	if !assert.DirExists(t, filepath.Join(dir, pkg), "%v", c.block) {
		return
	}
	subcommand := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		subcommand = args[0]
	}
	for _, arg := range args {
		name, ok := strings.CutPrefix(arg, "-")
		if !ok {
			continue
		}
		key := strings.Join([]string{c.dir, pkg, subcommand}, " ")
		if help[key] == "" {
			help[key] = usage(t, dir, pkg, subcommand)
		}
		assert.Regexp(t, `(?m)^\s+-`+regexp.QuoteMeta(name)+`\b`, help[key], "%v: %v", c.block, c.args)
	}
}

// usage returns what a program prints when it is asked for help.
func usage(t *testing.T, dir, pkg, subcommand string) string {
	binary := filepath.Join(t.TempDir(), "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, pkg)
	build.Dir = dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	args := []string{"-h"}
	if subcommand != "" {
		args = []string{subcommand, "-h"}
	}
	var b bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Run(); err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return b.String()
}

// Files that the README sends people to are there.
func TestReadmeNamesFiles(t *testing.T) {
	named := regexp.MustCompile("`([a-z]+/)`")
	text := strings.Join(readPage(t, "README.md"), "\n")
	found := named.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, found)
	for _, m := range found {
		_, err := os.Stat(filepath.Join(root, m[1]))
		assert.NoError(t, err)
	}
}
