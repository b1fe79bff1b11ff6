package data

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// corpusStats are the figures by which a treebank is recognised.
type corpusStats struct {
	trees, nodes, leaves, types        int
	root, all, leaf                    [5]int // by label
	minLength, maxLength               int
	minDepth, maxDepth, nonBreakSpaces int
}

func statsOf(trees []*Tree) corpusStats {
	s := corpusStats{trees: len(trees), minLength: 1 << 30, minDepth: 1 << 30}
	types := map[string]bool{}
	for _, t := range trees {
		leaves, depth := len(t.Leaves()), t.Depth()
		s.nodes += t.Len()
		s.leaves += leaves
		s.minLength, s.maxLength = min(s.minLength, leaves), max(s.maxLength, leaves)
		s.minDepth, s.maxDepth = min(s.minDepth, depth), max(s.maxDepth, depth)
		s.root[t.Label[t.Root()]]++
		for i, l := range t.Label {
			s.all[l]++
			if t.IsLeaf(int32(i)) {
				s.leaf[l]++
			}
		}
		for _, w := range t.Words() {
			types[w] = true
			if strings.Contains(w, "\u00A0") {
				s.nonBreakSpaces++
			}
		}
	}
	s.types = len(types)
	return s
}

func TestStanfordSentimentTreebank(t *testing.T) {
	want := map[string]corpusStats{
		"train.txt": {
			trees: 8544, nodes: 318582, leaves: 163563, types: 18280,
			root: [5]int{1092, 2218, 1624, 2322, 1288},
			all:  [5]int{8245, 34362, 219788, 44194, 11993},
			leaf: [5]int{1130, 7795, 140415, 11524, 2699}, minLength: 2, maxLength: 52,
			minDepth: 1, maxDepth: 29, nonBreakSpaces: 3,
		},
		"dev.txt": {
			trees: 1101, nodes: 41447, leaves: 21274, types: 5374,
			root: [5]int{139, 289, 229, 279, 165},
			all:  [5]int{1070, 4613, 28305, 5781, 1678}, minLength: 2, maxLength: 49,
			minDepth: 1, maxDepth: 27,
		},
		"test.txt": {
			trees: 2210, nodes: 82600, leaves: 42405, types: 8547,
			root: [5]int{279, 633, 389, 510, 399},
			all:  [5]int{2008, 9255, 56548, 10998, 3791}, minLength: 2, maxLength: 56,
			minDepth: 1, maxDepth: 28,
		},
	}
	for name, want := range want {
		t.Run(name, func(t *testing.T) {
			path := sharedPath(t, "data", "sst", name)
			trees, err := ReadPTBFile(path, SSTOptions())
			require.NoError(t, err)
			got := statsOf(trees)
			if want.leaf == [5]int{} {
				got.leaf = want.leaf // known for train only
			}
			assert.Equal(t, want, got)

			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var written []byte
			for i, tree := range trees {
				require.NoError(t, tree.Validate())
				require.True(t, tree.Binary())
				require.Equal(t, Position{path, i + 1, 1}, tree.Pos)
				written = append(tree.Append(written), '\n')
			}
			assert.True(t, bytes.Equal(text, written), "writing the trees gives the file back")
		})
	}
}

func TestSSTVariants(t *testing.T) {
	t.Run("byte order mark", func(t *testing.T) {
		trees := readShared(t, SSTOptions(), "data", "sst-variants", "arvindnair_test_BOM_resplit_3431.txt")
		require.Len(t, trees, 3431)
		assert.Equal(t, 1, trees[0].Pos.Column)
		assert.Equal(t, "Effective", trees[0].Words()[0])
	})
	t.Run("no-break space in a token", func(t *testing.T) {
		trees := readShared(t, SSTOptions(), "data", "sst-variants", "sst_train_lines_4342_5799_7409_NBSP_in_token.txt")
		assert.Equal(t, 3, statsOf(trees).nonBreakSpaces)
	})
	t.Run("two tokens in a leaf", func(t *testing.T) {
		path := sharedPath(t, "data", "sst-variants", "tranvuduchuy_train_line1_space_inside_token.txt")
		trees, err := ReadPTBFile(path, SSTOptions())
		assert.Empty(t, trees)
		assert.EqualError(t, err, path+`:1:21: expected ')' after the token "R", found a second token "ock"`)

		trees, report, err := ReadPTBFileLenient(path, SSTOptions())
		assert.Empty(t, trees)
		assert.Equal(t, 1, report.Skipped)
		assert.ErrorIs(t, err, ErrEmpty)
	})
}

func TestIcelandicParsedCorpus(t *testing.T) {
	trees := readShared(t, PTBOptions{}, "data", "messy", "icepahc", "1883.voggur.nar-fic.psd")
	require.Len(t, trees, 130)
	maxArity, nodes := 0, 0
	for _, tree := range trees {
		require.NoError(t, tree.Validate())
		assert.Equal(t, "", tree.LabelText(tree.Root()), "the outer bracket has no label")
		nodes += tree.Len()
		assert.False(t, tree.Binary())
		for i := range int32(tree.Len()) {
			maxArity = max(maxArity, len(tree.Children(i)))
		}
		again, err := NewPTBReader(strings.NewReader(tree.String()), "", PTBOptions{}).Next()
		require.NoError(t, err)
		require.Equal(t, shape(tree), shape(again))
	}
	assert.Equal(t, 12, maxArity)
	assert.Equal(t, 3913, nodes)
	first := trees[0]
	assert.Equal(t, []int{1, 1}, []int{first.Pos.Line, first.Pos.Column})
	assert.Equal(t, "Vöggur-vöggur", first.Words()[1])
	assert.Equal(t, "NPR-N", first.Tag[0])
}

// The files hold test programs in Go between the trees of their syntax, which is text
// that a lenient reader skips without losing a tree behind it.
func TestTreeSitterCorpus(t *testing.T) {
	path := sharedPath(t, "data", "messy", "tree-sitter-go", "literals.txt")
	trees, report, err := ReadPTBFileLenient(path, PTBOptions{})
	require.NoError(t, err)
	roots := 0
	for _, tree := range trees {
		if tree.LabelText(tree.Root()) == "source_file" {
			roots++
		}
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, bytes.Count(text, []byte("\n(source_file")), roots)
	assert.NotZero(t, report.Skipped)
}
