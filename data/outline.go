package data

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// outlineDepth is how many levels of an outline are indented: the outline of a chain
// would otherwise grow with the square of its length.
const outlineDepth = 24

// WriteOutline prints the tree for people, a line per node, parents before their
// children:
//
//	3
//	├── 2 It
//	└── 4
//	    ├── 2 works
//	    └── 2 .
//
// A node has its label and its word, or · when it has neither. Lines of nodes below level
// 24 are not indented further; they begin with the number of levels that are left out.
// The error is the writer's.
func (t *Tree) WriteOutline(w io.Writer) error {
	b := bufio.NewWriter(w)
	type visit struct {
		node  int32
		depth int
		last  bool // of its parent's children
	}
	var below []bool // by level of the path to the node: whether a sibling comes later
	for stack := []visit{{t.Root(), 0, true}}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		below = append(below[:at.depth], !at.last)
		b.WriteString(outlineIndent(below))
		b.WriteString(t.outlineText(at.node))
		b.WriteByte('\n')
		children := t.Children(at.node)
		for i := len(children) - 1; i >= 0; i-- {
			stack = append(stack, visit{children[i], at.depth + 1, i == len(children)-1})
		}
	}
	return b.Flush() // which returns the first error of all writes
}

// Outline returns what WriteOutline prints.
func (t *Tree) Outline() string {
	var b strings.Builder
	_ = t.WriteOutline(&b) // a strings.Builder takes everything
	return b.String()
}

// outlineIndent is what leads from the left to a node.
func outlineIndent(below []bool) string {
	depth := len(below) - 1
	if depth == 0 {
		return ""
	}
	var b strings.Builder
	first := max(1, depth-outlineDepth+1)
	if first > 1 {
		fmt.Fprintf(&b, "%d ", first-1)
	}
	for _, more := range below[first:depth] {
		if more {
			b.WriteString("│   ")
		} else {
			b.WriteString("    ")
		}
	}
	if below[depth] {
		b.WriteString("├── ")
	} else {
		b.WriteString("└── ")
	}
	return b.String()
}

func (t *Tree) outlineText(i int32) string {
	label, word := t.LabelText(i), t.Word[i]
	switch {
	case label == "" && word == "":
		return "·"
	case label == "":
		return word
	case word == "":
		return label
	}
	return label + " " + word
}
