package corpus

// Tree is a binary tree of n nodes in post-order: children come before their
// parent, the root is node n-1.
type Tree struct {
	Word        []int32 // [n] of leaves; 0 at inner nodes
	Left, Right []int32 // [n] the children; -1 at leaves
	Label       []int32 // [n] the class of each node
}

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.Label) }

// Leaves returns the number of leaves.
func (t *Tree) Leaves() int { return (len(t.Label) + 1) / 2 }

// Heights returns the number of edges between each node and the deepest leaf below.
func (t *Tree) Heights() []int {
	height := make([]int, t.Len())
	for i, l := range t.Left {
		if l >= 0 {
			height[i] = 1 + max(height[l], height[t.Right[i]])
		}
	}
	return height
}

// Depth returns the number of edges between the root and the deepest leaf.
func (t *Tree) Depth() int { return t.Heights()[t.Len()-1] }

// Corpus is a set of trees with the bounds of what is in them.
type Corpus struct {
	Name    string
	Trees   []*Tree
	Vocab   int // words are below
	Classes int // labels are below
}

// Nodes returns the number of nodes of all trees.
func (c *Corpus) Nodes() int {
	n := 0
	for _, t := range c.Trees {
		n += t.Len()
	}
	return n
}

// Leaves returns the number of leaves of all trees.
func (c *Corpus) Leaves() int {
	n := 0
	for _, t := range c.Trees {
		n += t.Leaves()
	}
	return n
}
