package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the root of the repository.
const root = "../.."

// block is a fenced block of a page.
type block struct {
	page  string // relative to the root
	line  int    // of the fence, from 1
	lang  string
	from  string // what the comment before the block says
	lines []string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

func (b block) text() string { return strings.Join(b.lines, "\n") + "\n" }

var comment = regexp.MustCompile(`^\s*<!-- (.*) -->$`)

// readPage returns the lines of a page, given relative to the root.
func readPage(t *testing.T, page string) []string {
	text, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	return strings.Split(string(text), "\n")
}

// blocks returns the fenced blocks of a page.
func blocks(t *testing.T, page string) []block {
	var all []block
	var open *block
	before := ""
	for i, line := range readPage(t, page) {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && open == nil:
			open = &block{page: page, line: i + 1, lang: fence}
			if m := comment.FindStringSubmatch(before); m != nil {
				open.from = m[1]
			}
		case isFence:
			open.lines = dedent(open.lines)
			all = append(all, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
		before = line
	}
	require.Nil(t, open, "%s: a block is not closed", page)
	return all
}

// dedent removes the indentation that the lines have in common.
func dedent(lines []string) []string {
	common, first := "", true
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if first {
			common, first = indent, false
		}
		for !strings.HasPrefix(indent, common) {
			common = common[:len(common)-1]
		}
	}
	out := slices.Clone(lines)
	for i, l := range out {
		out[i] = strings.TrimRight(strings.TrimPrefix(l, common), " \t")
	}
	return out
}

// contains reports whether the lines of a block stand one after the other in a text,
// at any indentation.
func contains(text []string, block []string) bool {
	want := dedent(block)
	for i := 0; i+len(want) <= len(text); i++ {
		if slices.Equal(dedent(text[i:i+len(want)]), want) {
			return true
		}
	}
	return false
}
