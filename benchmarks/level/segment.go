package level

import (
	"slices"

	"github.com/frondml/frond/benchmarks/corpus"
	"github.com/frondml/frond/internal/kernel"
)

// segment is what one worker computes: some trees of the mini-batch, whose nodes
// are rows. Leaves come first, then inner nodes by height, so that the rows of a
// level are consecutive.
type segment struct {
	trees []*corpus.Tree
	index []int // of each tree in the mini-batch
	nodes int

	leaves      int
	words       []int32 // [leaves]
	left, right []int32 // [nodes-leaves] rows of the children
	levels      []int   // where the inner nodes of each height start; then their number
	labels      []int32 // [nodes]
	roots       []int32 // row of each tree's root
	height, row []int32 // of every node, tree by tree

	ldLeaf, ldInner, ldX, ldH, ldE int // row strides

	leafGates  []float32 // [leaves 3·hidden]
	innerGates []float32 // [inner 5·hidden]
	x          []float32 // [inner 2·hidden] the children's outputs
	h, c, tc   []float32 // [nodes hidden] output, cell and its tanh
	logits     []float32 // [nodes classes]
	probs      []float32 // [nodes classes] then their adjoints
	loss       float64

	dLeafGates, dInnerGates []float32
	dLeafX, dX              []float32
	dH, dC                  []float32
	tmp                     []float32 // [hidden]
	dLeafBias, dInnerBias   []float32
	dClassBias              []float32
}

func newSegment(n *Network) *segment {
	h := n.Hidden
	return &segment{
		ldLeaf: stride(3 * h), ldInner: stride(5 * h), ldX: stride(2 * h), ldH: stride(h), ldE: stride(n.Embed),
		tmp:       kernel.Aligned(h),
		dLeafBias: make([]float32, 3*h), dInnerBias: make([]float32, 5*h), dClassBias: make([]float32, n.Classes),
	}
}

// stride is the distance of rows of n floats: whole cache lines, and not a multiple
// of a kilobyte, at which rows would compete for few sets of the first level cache.
func stride(n int) int {
	const line, kilobyte = 16, 256
	n = (n + line - 1) / line * line
	if n%kilobyte == 0 {
		n += line
	}
	return n
}

func resize(p *[]float32, n int) {
	if cap(*p) < n {
		*p = kernel.Aligned(n + n/4)
	}
	*p = (*p)[:n]
}

func resizeInts(p *[]int32, n int) {
	if cap(*p) < n {
		*p = make([]int32, n+n/4)
	}
	*p = (*p)[:n]
}

// order gives rows to the nodes of the segment's trees.
func (s *segment) order() {
	s.leaves, s.levels = 0, s.levels[:0]
	resizeInts(&s.height, s.nodes)
	resizeInts(&s.row, s.nodes)
	at := 0
	for _, t := range s.trees {
		s.measure(t, s.height[at:at+t.Len()])
		at += t.Len()
	}
	sum := 0
	for l, count := range s.levels { // from numbers to where they start
		s.levels[l] = sum
		sum += count
	}
	inner := s.nodes - s.leaves
	resizeInts(&s.words, s.leaves)
	resizeInts(&s.left, inner)
	resizeInts(&s.right, inner)
	resizeInts(&s.labels, s.nodes)
	s.roots = s.roots[:0]
	at, leaf := 0, 0
	for _, t := range s.trees {
		leaf = s.place(t, s.height[at:at+t.Len()], s.row[at:at+t.Len()], leaf)
		at += t.Len()
	}
	// Placing has moved every start to the end of its level.
	s.levels = slices.Insert(s.levels, 0, 0)
}

// measure computes the heights of a tree's nodes and counts leaves and levels.
func (s *segment) measure(t *corpus.Tree, height []int32) {
	for i, l := range t.Left {
		if l < 0 {
			height[i] = 0
			s.leaves++
			continue
		}
		k := 1 + max(height[l], height[t.Right[i]])
		height[i] = k
		if int(k) > len(s.levels) {
			s.levels = append(s.levels, 0)
		}
		s.levels[k-1]++
	}
}

// place numbers the nodes of a tree, whose first leaf has row leaf, and returns the
// row of the next leaf.
func (s *segment) place(t *corpus.Tree, height, row []int32, leaf int) int {
	for i, l := range t.Left {
		if l < 0 {
			row[i] = int32(leaf)
			s.words[leaf] = t.Word[i]
			leaf++
		} else {
			level := &s.levels[height[i]-1]
			s.left[*level], s.right[*level] = row[l], row[t.Right[i]]
			row[i] = int32(s.leaves + *level)
			*level++
		}
		s.labels[row[i]] = t.Label[i]
	}
	s.roots = append(s.roots, row[t.Len()-1])
	return leaf
}

func (s *segment) resizeForward(classes int) {
	inner := s.nodes - s.leaves
	resize(&s.leafGates, s.leaves*s.ldLeaf)
	resize(&s.innerGates, inner*s.ldInner)
	resize(&s.x, inner*s.ldX)
	for _, p := range []*[]float32{&s.h, &s.c, &s.tc} {
		resize(p, s.nodes*s.ldH)
	}
	resize(&s.logits, s.nodes*classes)
	resize(&s.probs, s.nodes*classes)
}

func (s *segment) resizeBackward() {
	inner := s.nodes - s.leaves
	resize(&s.dLeafGates, s.leaves*s.ldLeaf)
	resize(&s.dInnerGates, inner*s.ldInner)
	resize(&s.dLeafX, s.leaves*s.ldE)
	resize(&s.dX, inner*s.ldX)
	resize(&s.dH, s.nodes*s.ldH)
	resize(&s.dC, s.nodes*s.ldH)
}
