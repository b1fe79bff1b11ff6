package data

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func build(t *testing.T, nodes ...Node) *Tree {
	t.Helper()
	var b Builder
	for _, n := range nodes {
		b.Add(n)
	}
	tree, err := b.Tree()
	require.NoError(t, err)
	require.NoError(t, tree.Validate())
	return tree
}

func TestBuilderBinary(t *testing.T) {
	tree := build(t,
		Node{Label: 2, Word: "not"}, Node{Label: 3, Word: "very"}, Node{Label: 4, Word: "good"},
		Node{Label: 4, Arity: 2}, Node{Label: 1, Arity: 2})
	assert.Equal(t, "(1 (2 not) (4 (3 very) (4 good)))", tree.String())
	assert.Equal(t, "( not ( very good ) )", string(tree.AppendUnlabelled(nil)))
	assert.Equal(t, []int32{-1, -1, -1, 1, 0}, tree.Left)
	assert.Equal(t, []int32{-1, -1, -1, 2, 3}, tree.Right)
	assert.Equal(t, []int32{0, 3}, tree.Children(tree.Root()))
	assert.Equal(t, []int32{0, 1, 2}, tree.Leaves())
	assert.Equal(t, []string{"not", "very", "good"}, tree.Words())
	assert.Equal(t, 2, tree.Depth())
	assert.Nil(t, tree.Tag)
	assert.True(t, tree.Binary())
}

func TestBuilderAnyArity(t *testing.T) {
	tree := build(t,
		Node{Tag: "D", Word: "a"}, Node{Tag: "N", Word: "b"}, Node{Tag: "3", Word: "c"},
		Node{Tag: "NP", Arity: 3}, Node{Label: NoLabel, Arity: 1})
	assert.Equal(t, "( (NP (D a) (N b) (3 c)))", tree.String())
	assert.Equal(t, []string{"D", "N", "", "NP", ""}, tree.Tag)
	assert.Equal(t, []int32{NoLabel, NoLabel, 3, NoLabel, NoLabel}, tree.Label, "a tag that is a number is a class")
	assert.Nil(t, tree.Left)
	assert.False(t, tree.Binary())
	assert.Equal(t, 2, tree.Depth())
}

// A single node, and an empty Tree, are borders of most loops.
func TestSmallestTrees(t *testing.T) {
	tree := build(t, Node{Label: 0, Word: "x"})
	assert.Equal(t, "(0 x)", tree.String())
	assert.Equal(t, 0, tree.Depth())
	assert.True(t, tree.Binary())

	var empty Tree
	assert.ErrorIs(t, empty.Validate(), ErrTree)
	assert.Equal(t, "", empty.String())
	assert.Equal(t, 0, empty.Depth())
	assert.Empty(t, empty.Leaves())
	assert.Empty(t, empty.Words())
}

func TestBuilderMistakes(t *testing.T) {
	leaf := Node{Word: "x"}
	tests := []struct {
		nodes []Node
		want  string
	}{
		{nil, "data: not a tree: got 0 nodes, want at least 1"},
		{[]Node{leaf, {Arity: 2}}, "data: not a tree: got arity 2 at node 1, want 0..1 (the subtrees without a parent)"},
		{[]Node{{Arity: -1}}, "data: not a tree: got arity -1 at node 0, want 0..0 (the subtrees without a parent)"},
		{[]Node{leaf, leaf}, "data: not a tree: got 0 children for 2 nodes, want 1 (one root)"},
		{[]Node{{Label: -2}}, "data: not a tree: got label -2 at node 0, want a class or NoLabel"},
	}
	var b Builder
	for _, test := range tests {
		for _, n := range test.nodes {
			b.Add(n)
		}
		_, err := b.Tree()
		assert.EqualError(t, err, test.want)
		assert.ErrorIs(t, err, ErrTree)
	}
	b.Add(leaf)
	_, err := b.Tree()
	assert.NoError(t, err, "a builder starts anew after an error")
}

func TestValidate(t *testing.T) {
	fresh := func() *Tree {
		return build(t, Node{Word: "a"}, Node{Word: "b"}, Node{Arity: 2}, Node{Word: "c"}, Node{Arity: 2})
	}
	for name, spoil := range map[string]func(*Tree){
		"short Word":            func(t *Tree) { t.Word = t.Word[1:] },
		"short Tag":             func(t *Tree) { t.Tag = []string{"x"} },
		"low label":             func(t *Tree) { t.Label[1] = -7 },
		"swapped children":      func(t *Tree) { t.Child[0], t.Child[1] = 1, 0 },
		"child out of range":    func(t *Tree) { t.Child[0] = 99 },
		"decreasing starts":     func(t *Tree) { t.ChildStart[1] = 3 },
		"starts out of range":   func(t *Tree) { t.ChildStart[5] = 99 },
		"two roots":             func(t *Tree) { t.ChildStart[5] = 2 },
		"Left of another tree":  func(t *Tree) { t.Left[4] = 1 },
		"Left without Right":    func(t *Tree) { t.Right = nil },
		"not marked as binary":  func(t *Tree) { t.Left, t.Right = nil, nil },
		"position twice":        func(t *Tree) { t.Index = []int32{0, 1, 2, 3, 3} },
		"position out of range": func(t *Tree) { t.Index = []int32{0, 1, 2, 3, 5} },
	} {
		tree := fresh()
		spoil(tree)
		assert.ErrorIs(t, tree.Validate(), ErrTree, name)
	}
	tree := fresh()
	tree.Index = []int32{4, 0, 1, 3, 2}
	assert.NoError(t, tree.Validate())
}

func TestStringEscapesBrackets(t *testing.T) {
	tree := build(t, Node{Label: 2, Word: ":-)"}, Node{Label: 2, Word: "f(x)"}, Node{Label: 2, Arity: 2})
	assert.Equal(t, "(2 (2 :--RRB-) (2 f-LRB-x-RRB-))", tree.String())
}

func TestQuoteCutsBetweenCharacters(t *testing.T) {
	long := "0123456789012345678901234567890123456789"
	assert.Equal(t, `"`+long+`"`, quote(long))
	assert.Equal(t, `"`+long+`"...`, quote(long+"é"))
	assert.Equal(t, `"`+long[1:]+`"...`, quote(long[1:]+"éa"))
}
