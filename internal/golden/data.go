package golden

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/frondml/frond/data"
)

// Tree is a tree as models read it: arrays with an entry per node, in post-order.
// Leaves have Left and Right -1, inner nodes Word -1.
type Tree struct{ Word, Left, Right, Label []int32 }

// Dependency is a dependency tree: every node has a word, and Child[Start[i]] to
// Child[Start[i+1]-1] are the children of node i.
type Dependency struct{ Word, Start, Child []int32 }

// Pair is a pair of sentences with the score of their relatedness, 1 to 5.
type Pair struct {
	A, B  Dependency
	Score float64
}

// Trees returns the constituency trees that the results are for.
func (f *File) Trees(t testing.TB) []Tree {
	t.Helper()
	all, err := data.ReadPTBFile(filepath.Join(shared(t), "data", "sst", "train.txt"), data.SSTOptions())
	if err != nil {
		t.Fatal(err)
	}
	chosen := all[f.Data.FirstLine : f.Data.FirstLine+f.Data.Lines]
	words := f.vocabulary(t, chosen)
	var sizes []int
	f.decode(t, f.Data.Nodes, &sizes)
	trees := make([]Tree, len(chosen))
	for i, x := range chosen {
		if x.Len() != sizes[i] {
			t.Fatalf("golden %s: tree %d has %d nodes, want %d", f.Name, i, x.Len(), sizes[i])
		}
		trees[i] = Tree{Word: words.IDs(x), Left: x.Left, Right: x.Right, Label: x.Label}
	}
	return trees
}

// Pairs returns the pairs of dependency trees that the results are for.
func (f *File) Pairs(t testing.TB) []Pair {
	t.Helper()
	all, err := data.ReadSICK(filepath.Join(shared(t), "data", "sick", "train"))
	if err != nil {
		t.Fatal(err)
	}
	chosen := all[f.Data.FirstLine : f.Data.FirstLine+f.Data.Lines]
	var trees []*data.Tree
	for _, p := range chosen {
		trees = append(trees, p.A, p.B)
	}
	words := f.vocabulary(t, trees)
	var sizes [][2]int
	f.decode(t, f.Data.Nodes, &sizes)
	pairs := make([]Pair, len(chosen))
	for i, p := range chosen {
		if got := [2]int{p.A.Len(), p.B.Len()}; got != sizes[i] || p.Score != f.Data.Scores[i] {
			t.Fatalf("golden %s: pair %d has %d nodes and score %v, want %d and %v", f.Name, i, got, p.Score, sizes[i], f.Data.Scores[i])
		}
		pairs[i] = Pair{dependency(p.A, words), dependency(p.B, words), p.Score}
	}
	return pairs
}

func dependency(x *data.Tree, words *data.Vocabulary) Dependency {
	return Dependency{Word: words.IDs(x), Start: slices.Clone(x.ChildStart), Child: slices.Clone(x.Child)}
}

// vocabulary numbers the words of the trees as the reference did.
func (f *File) vocabulary(t testing.TB, trees []*data.Tree) *data.Vocabulary {
	t.Helper()
	v := data.BuildVocabulary(data.Tokens(trees), data.VocabularyOptions{NoUnknown: true, Order: data.ByBytes})
	if v.Len() != f.Data.Vocab || v.Hash() != f.Data.VocabHash {
		t.Fatalf("golden %s: the vocabulary has %d words and hash %s, want %d and %s", f.Name, v.Len(), v.Hash(), f.Data.Vocab, f.Data.VocabHash)
	}
	return v
}
