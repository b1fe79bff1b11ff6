package data

import "fmt"

// Node is what a Builder needs to know of one node.
type Node struct {
	Label int32  // class, NoLabel for none; ignored when Tag is set
	Tag   string // label that is not a number
	Word  string // token, "" for none
	Arity int    // number of children
}

// Builder makes a tree from its nodes in post-order. The zero value is ready to use.
type Builder struct {
	label, arity []int32
	word, tag    []string
	tagged       bool
	roots        int
	err          error
}

// Add appends a node. Its children are the last Arity subtrees that have no parent
// yet, in the order in which they were added. Mistakes are reported by Tree.
func (b *Builder) Add(n Node) {
	if b.err != nil {
		return
	}
	if n.Arity < 0 || n.Arity > b.roots {
		b.err = fmt.Errorf("%w: got arity %d at node %d, want 0..%d (the subtrees without a parent)",
			ErrTree, n.Arity, len(b.label), b.roots)
		return
	}
	if n.Label < NoLabel {
		b.err = fmt.Errorf("%w: got label %d at node %d, want a class or NoLabel", ErrTree, n.Label, len(b.label))
		return
	}
	if n.Tag != "" {
		// A tag that is a number is a class, as it is to the readers.
		var numeric bool
		if n.Label, numeric = parseClass([]byte(n.Tag)); numeric {
			n.Tag = ""
		} else {
			b.tagged = true
		}
	}
	b.roots += 1 - n.Arity
	b.label = append(b.label, n.Label)
	b.tag = append(b.tag, n.Tag)
	b.word = append(b.word, n.Word)
	b.arity = append(b.arity, int32(n.Arity))
}

// Tree returns the tree of the nodes added since the last call and starts anew.
// The error wraps ErrTree.
func (b *Builder) Tree() (*Tree, error) {
	defer func() { *b = Builder{} }()
	if b.err != nil {
		return nil, b.err
	}
	t := &Tree{Label: b.label, Word: b.word}
	if b.tagged {
		t.Tag = b.tag
	}
	if err := t.link(b.arity, make([]int32, len(b.arity))); err != nil {
		return nil, err
	}
	return t, nil
}

// link fills the child lists from the number of children of every node in
// post-order. size is scratch of the same length.
//
// It needs no stack: the last child of node i is node i-1, and the sibling before a
// child c is c-size[c], for each subtree is a contiguous range.
func (t *Tree) link(arity, size []int32) error {
	n := len(arity)
	if n == 0 {
		return fmt.Errorf("%w: got 0 nodes, want at least 1", ErrTree)
	}
	binary, children := true, 0
	for _, k := range arity {
		binary = binary && (k == 0 || k == 2)
		children += int(k)
	}
	if children != n-1 {
		return fmt.Errorf("%w: got %d children for %d nodes, want %d (one root)", ErrTree, children, n, n-1)
	}
	t.carve(n, binary)
	at := int32(0)
	for i, k := range arity {
		c := int32(i) - 1
		for j := at + k - 1; j >= at; j-- {
			if c < 0 {
				return fmt.Errorf("%w: got arity %d at node %d, which follows too few subtrees", ErrTree, k, i)
			}
			t.Child[j] = c
			c -= size[c]
		}
		size[i] = int32(i) - c
		at += k
		t.ChildStart[i+1] = at
		if binary {
			t.Left[i], t.Right[i] = -1, -1
			if k == 2 {
				t.Left[i], t.Right[i] = t.Child[at-2], t.Child[at-1]
			}
		}
	}
	return nil
}

// carve cuts the link arrays of n nodes from one allocation.
func (t *Tree) carve(n int, binary bool) {
	total := 2 * n // ChildStart n+1, Child n-1
	if binary {
		total += 2 * n
	}
	slab := make([]int32, total)
	cut := func(k int) []int32 {
		part := slab[:k:k]
		slab = slab[k:]
		return part
	}
	t.ChildStart, t.Child = cut(n+1), cut(n-1)
	if binary {
		t.Left, t.Right = cut(n), cut(n)
	}
}
