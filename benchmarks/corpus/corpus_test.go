package corpus

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// requireTree checks that every node but the root is the child of exactly one
// later node, and that words and labels are in range.
func requireTree(t *testing.T, c *Corpus, tree *Tree) {
	t.Helper()
	n := tree.Len()
	require.Equal(t, []int{n, n, n}, []int{len(tree.Word), len(tree.Left), len(tree.Right)})
	parents := make([]int, n)
	leaves := 0
	for i := range n {
		l, r := tree.Left[i], tree.Right[i]
		require.Equal(t, l < 0, r < 0)
		if l < 0 {
			leaves++
		} else {
			require.True(t, int(l) < i && int(r) < i && l != r)
			parents[l]++
			parents[r]++
		}
		require.True(t, tree.Word[i] >= 0 && int(tree.Word[i]) < c.Vocab)
		require.True(t, tree.Label[i] >= 0 && int(tree.Label[i]) < c.Classes)
	}
	for i, p := range parents {
		require.Equal(t, i < n-1, p == 1, "node %d has %d parents", i, p)
	}
	require.Equal(t, leaves, tree.Leaves())
}

func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		shape  Shape
		leaves int
		lo, hi int // depth
	}{
		{"balanced", Balanced, 32, 5, 5},
		{"balanced", Balanced, 33, 6, 6},
		{"moderate", Moderate, 32, 6, 31},
		{"linear", Linear, 32, 31, 31},
		{"linear", Linear, 100000, 99999, 99999},
		{"single", Moderate, 1, 0, 0},
	} {
		c := Generate(tt.name, 3, tt.leaves, tt.shape)
		require.Len(t, c.Trees, 3)
		for _, tree := range c.Trees {
			requireTree(t, c, tree)
			require.Equal(t, tt.leaves, tree.Leaves())
			require.GreaterOrEqual(t, tree.Depth(), tt.lo, tt.name)
			require.LessOrEqual(t, tree.Depth(), tt.hi, tt.name)
		}
	}
}

func TestGeneratedSentencesResembleTheTreebank(t *testing.T) {
	c := GenerateSentences(2000)
	longest, words := 0, map[int32]int{}
	for _, tree := range c.Trees {
		requireTree(t, c, tree)
		longest = max(longest, tree.Leaves())
		for i, w := range tree.Word {
			if tree.Left[i] < 0 {
				words[w]++
			}
		}
	}
	require.InDelta(t, 19.1, float64(c.Leaves())/2000, 0.6)
	require.LessOrEqual(t, longest, 52)
	require.Greater(t, c.Leaves(), 4*len(words), "words repeat")
	require.Equal(t, 2*c.Leaves()-2000, c.Nodes())
	require.Equal(t, c, GenerateSentences(2000), "the same for the same arguments")
}

func TestReadSST(t *testing.T) {
	dir := FindSST(".")
	if dir == "" {
		t.Skip("the treebank is not beside this repository")
	}
	c, err := ReadSST(dir, 100)
	require.NoError(t, err)
	require.Len(t, c.Trees, 100)
	require.Equal(t, 18281, c.Vocab, "18280 words and the unknown one")
	for _, tree := range c.Trees {
		requireTree(t, c, tree)
	}
	_, err = ReadSST(t.TempDir(), 1)
	require.Error(t, err)
}
