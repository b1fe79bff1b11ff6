package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pages returns the pages in docs, relative to the root.
func pages(t *testing.T) []string {
	found, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for i, p := range found {
		found[i], err = filepath.Rel(root, p)
		require.NoError(t, err)
	}
	return found
}

// Code on pages stands in files, which compile and are run. Go code does so always.
func TestCodeIsTakenFromFiles(t *testing.T) {
	for _, page := range pages(t) {
		for _, b := range blocks(t, page) {
			path, ok := strings.CutPrefix(b.from, "from ")
			if !ok {
				assert.NotEqual(t, "go", b.lang, "%v: the comment before the block does not say what it is taken from", b)
				continue
			}
			assert.True(t, contains(readPage(t, path), b.lines), "%v does not stand in %s", b, path)
		}
	}
}

// Output on pages is what examples print.
func TestOutputBlocksAreWhatExamplesPrint(t *testing.T) {
	for _, page := range pages(t) {
		for _, b := range blocks(t, page) {
			dir, ok := strings.CutPrefix(b.from, "printed by ")
			if !ok {
				continue
			}
			found := false
			for _, output := range outputs(t, dir) {
				found = found || contains(output, b.lines)
			}
			assert.True(t, found, "%v: no example in %s prints this", b, dir)
		}
	}
}

// outputs returns what the examples in a directory must print.
func outputs(t *testing.T, dir string) [][]string {
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no tests in %s", dir)
	var all [][]string
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, group := range f.Comments {
			if text, ok := strings.CutPrefix(commentText(group), "Output:\n"); ok {
				all = append(all, strings.Split(text, "\n"))
			}
		}
	}
	return all
}

// commentText is the text of a comment as the go command sees the output of an
// example: CommentGroup.Text would join blank lines.
func commentText(g *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range g.List {
		line := strings.TrimPrefix(c.Text, "//")
		b.WriteString(strings.TrimPrefix(line, " ") + "\n")
	}
	return b.String()
}

var link = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

// Links within the repository lead somewhere.
func TestLinks(t *testing.T) {
	for _, page := range append(pages(t), "README.md", "examples/README.md", "benchmarks/README.md") {
		inBlock := false
		for i, line := range readPage(t, page) {
			if strings.HasPrefix(line, "```") {
				inBlock = !inBlock
			}
			if inBlock {
				continue
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") {
					continue
				}
				_, err := os.Stat(filepath.Join(root, filepath.Dir(page), m[1]))
				assert.NoError(t, err, "%s:%d", page, i+1)
			}
		}
	}
}

// Every example is on the page of examples.
func TestExamplesAreListed(t *testing.T) {
	page := strings.Join(readPage(t, "examples/README.md"), "\n")
	programs, err := filepath.Glob(filepath.Join(root, "examples", "*", "main.go"))
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	for _, path := range programs {
		name := filepath.Base(filepath.Dir(path))
		assert.Contains(t, page, "["+name+"]("+name+")")
	}
}

func TestContains(t *testing.T) {
	text := strings.Split("a\n\tb\n\n\t\tc\nd", "\n")
	assert.True(t, contains(text, []string{"b", "", "\tc"}))
	assert.True(t, contains(text, []string{"  b"}))
	assert.False(t, contains(text, []string{"b", "c"}), "a line is missing")
	assert.False(t, contains(text, []string{"b", "", "c"}), "relative indentation differs")
	assert.False(t, contains(text, []string{"d", "e"}))
}
