package data

import (
	"fmt"
	"slices"
)

// NoLabel is the Label of a node that has no numeric label.
const NoLabel int32 = -1

// Tree is a labelled, ordered tree of n >= 1 nodes of any arity, held in arrays.
//
// Nodes are numbered in post-order: a node comes after all nodes of its subtree,
// the subtree of a node is a contiguous range of ids that ends with it, and the
// root is node n-1. A loop over the ids in increasing order therefore meets
// children before their parents.
//
// The arrays may share one allocation; none has room to append in place.
type Tree struct {
	// Label [n] holds the class of each node, NoLabel where it has none.
	Label []int32
	// Tag [n] holds the labels that are not numbers ("NP", say), "" elsewhere.
	// It is nil when all labels are numbers or missing.
	Tag []string
	// Word [n] holds the token of each node, "" where it has none. In a
	// constituency tree only leaves have one, in a dependency tree every node.
	Word []string
	// ChildStart [n+1] and Child [n-1] list the children of node i, left to right:
	// Child[ChildStart[i]:ChildStart[i+1]].
	ChildStart, Child []int32
	// Left and Right [n] are the two children of each node, -1 at the leaves. They
	// are nil unless every node has either none or two.
	Left, Right []int32
	// Index [n] is the position, from 0, of each node's word in the sentence. It is
	// nil where the words stand in the order of the nodes, as those of leaves do.
	Index []int32
	// Pos is where the tree begins in its file.
	Pos Position
}

// Len returns the number of nodes n.
func (t *Tree) Len() int { return len(t.Label) }

// Root returns the id of the root, n-1.
func (t *Tree) Root() int32 { return int32(len(t.Label) - 1) }

// Binary reports whether every node has either no child or two.
func (t *Tree) Binary() bool { return t.Left != nil }

// IsLeaf reports whether node i has no children.
func (t *Tree) IsLeaf(i int32) bool { return t.ChildStart[i] == t.ChildStart[i+1] }

// Children returns the ids of the children of node i, left to right, as a part of t.Child.
func (t *Tree) Children(i int32) []int32 {
	lo, hi := t.ChildStart[i], t.ChildStart[i+1]
	return t.Child[lo:hi:hi]
}

// Leaves returns the ids of the nodes without children, left to right.
func (t *Tree) Leaves() []int32 {
	leaves := make([]int32, 0, (t.Len()+1)/2)
	for i := range int32(t.Len()) {
		if t.IsLeaf(i) {
			leaves = append(leaves, i)
		}
	}
	return leaves
}

// Words returns the tokens in the order of the sentence.
func (t *Tree) Words() []string {
	if t.Index != nil {
		words := make([]string, t.Len())
		for i, at := range t.Index {
			words[at] = t.Word[i]
		}
		return words
	}
	words := make([]string, 0, (t.Len()+1)/2)
	for _, w := range t.Word {
		if w != "" {
			words = append(words, w)
		}
	}
	return words
}

// Depth returns the number of edges between the root and the deepest leaf.
func (t *Tree) Depth() int {
	if t.Len() == 0 {
		return 0
	}
	height := make([]int32, t.Len())
	for i := range height {
		for _, c := range t.Children(int32(i)) {
			height[i] = max(height[i], height[c]+1)
		}
	}
	return int(height[t.Root()])
}

// Validate reports whether the arrays keep the promises of Tree. Trees from this
// package always do; it is meant for trees that a program has put together or
// changed. The error wraps ErrTree.
func (t *Tree) Validate() error {
	n := len(t.Label)
	if n == 0 {
		return fmt.Errorf("%w: got 0 nodes, want at least 1", ErrTree)
	}
	for _, a := range []struct {
		name      string
		got, want int
		optional  bool
	}{
		{"Word", len(t.Word), n, false},
		{"Tag", len(t.Tag), n, t.Tag == nil},
		{"ChildStart", len(t.ChildStart), n + 1, false},
		{"Child", len(t.Child), n - 1, false},
		{"Left", len(t.Left), n, t.Left == nil},
		{"Right", len(t.Right), n, t.Right == nil},
		{"Index", len(t.Index), n, t.Index == nil},
	} {
		if a.got != a.want && !a.optional {
			return fmt.Errorf("%w: got %d entries in %s, want %d for %d nodes", ErrTree, a.got, a.name, a.want, n)
		}
	}
	for i, l := range t.Label {
		if l < NoLabel {
			return fmt.Errorf("%w: got label %d at node %d, want a class or NoLabel", ErrTree, l, i)
		}
	}
	if err := t.validateShape(); err != nil {
		return err
	}
	return t.validateIndex()
}

// validateShape compares the child lists with those that follow from the arities:
// in post-order there is only one tree for them.
func (t *Tree) validateShape() error {
	arity := make([]int32, t.Len())
	for i := range arity {
		arity[i] = t.ChildStart[i+1] - t.ChildStart[i]
		if arity[i] < 0 {
			return fmt.Errorf("%w: ChildStart decreases at node %d", ErrTree, i)
		}
	}
	var want Tree
	if err := want.link(arity, make([]int32, t.Len())); err != nil {
		return err
	}
	if !slices.Equal(want.ChildStart, t.ChildStart) || !slices.Equal(want.Child, t.Child) {
		return fmt.Errorf("%w: the child lists are not those of a post-order", ErrTree)
	}
	if (t.Left == nil) != (t.Right == nil) || (t.Left == nil) != (want.Left == nil) ||
		!slices.Equal(want.Left, t.Left) || !slices.Equal(want.Right, t.Right) {
		return fmt.Errorf("%w: Left and Right do not agree with the child lists", ErrTree)
	}
	return nil
}

func (t *Tree) validateIndex() error {
	seen := make([]bool, len(t.Index))
	for i, at := range t.Index {
		if at < 0 || int(at) >= len(seen) || seen[at] {
			return fmt.Errorf("%w: got position %d at node %d, want a permutation of 0..%d", ErrTree, at, i, len(seen)-1)
		}
		seen[at] = true
	}
	return nil
}

// LabelText returns the label of node i as it was written: a tag, a number, or "".
func (t *Tree) LabelText(i int32) string { return string(t.appendLabel(nil, i)) }
