package data

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func outlineOf(t *testing.T, text string) string {
	t.Helper()
	for tree, err := range NewPTBReader(strings.NewReader(text), "test", PTBOptions{}).All() {
		require.NoError(t, err)
		return tree.Outline()
	}
	t.Fatal("no tree")
	return ""
}

func TestOutline(t *testing.T) {
	assert.Equal(t, "3\n├── 2 It\n└── 4\n    ├── 2 works\n    └── 2 .\n", outlineOf(t, "(3 (2 It) (4 (2 works) (2 .)))"))
	assert.Equal(t, "S\n├── NP\n│   ├── D the\n│   └── N dog\n└── VP barks\n", outlineOf(t, "(S (NP (D the) (N dog)) (VP barks))"))
	assert.Equal(t, "word\n", outlineOf(t, "(word)"))
	assert.Equal(t, "·\n├── a\n├── b\n└── 1 c\n", outlineOf(t, "( ( a) ( b) (1 c))"))
}

// The outline of a deep tree stays short, a line per node.
func TestOutlineOfDeepTrees(t *testing.T) {
	const n = 20000
	text := outlineOf(t, strings.Repeat("(1 (0 a) ", n)+"(0 z)"+strings.Repeat(")", n))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	require.Len(t, lines, 2*n+1)
	for _, line := range lines {
		require.LessOrEqual(t, len([]rune(line)), 4*outlineDepth+10)
	}
	assert.Equal(t, strings.Repeat("    ", outlineDepth-1)+"├── 0 a", lines[2*outlineDepth-1])
	assert.Equal(t, "1 "+strings.Repeat("    ", outlineDepth-1)+"├── 0 a", lines[2*outlineDepth+1])
	assert.True(t, strings.HasSuffix(lines[2*n], "└── 0 z"))
	assert.True(t, strings.HasPrefix(lines[2*n], "19976 "), lines[2*n])
}

type brokenPipe struct{}

var errBrokenPipe = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBrokenPipe }

func TestOutlineWriterFails(t *testing.T) {
	var b Builder
	b.Add(Node{Word: "a"})
	tree, err := b.Tree()
	require.NoError(t, err)
	assert.ErrorIs(t, tree.WriteOutline(brokenPipe{}), errBrokenPipe)
}
