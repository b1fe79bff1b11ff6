package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frondml/frond/graph"
)

// RunError is an error of a run.
type RunError struct {
	Path string // the calls that led to the node, see CallPath
	Op   string // of the node
	Pos  graph.Pos
	Err  error // the cause
}

// Error returns the path, the node and the cause:
//
//	classify -> subtree x37 -> subtree.else: at (model.go:31): index out of range: index 9, 5 elements
func (e *RunError) Error() string { return fmt.Sprintf("%s: %s (%v): %v", e.Path, e.Op, e.Pos, e.Err) }

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.Err }

// fail describes an error at node n of f.
func (it *interpreter) fail(f *frame, n *graph.Node, err error) error {
	return &RunError{Path: f.path(), Op: n.Op.Name(), Pos: n.Pos, Err: err}
}

// path lists the called graphs, outermost first, and the body in which f is.
func (f *frame) path() string {
	var names []string
	for c := f; c != nil; c = c.caller {
		if g := c.plan.graph; c == f || !g.IsBody() {
			names = append(names, g.Name)
		}
	}
	slices.Reverse(names)
	return CallPath(names)
}

const (
	// maxCycle is the longest cycle of mutual recursion that CallPath detects.
	maxCycle = 16
	// maxParts bounds the number of parts of a path, so that messages about
	// irregular recursion stay readable.
	maxParts = 24
)

// CallPath formats the names of nested calls, outermost first. Repeated cycles
// are counted, and the middle of a path of many parts is left out:
//
//	main -> subtree x37 -> leaf
//	main -> (even -> odd) x500
func CallPath(names []string) string {
	var parts []string
	for len(names) > 0 {
		period, times := longestCycle(names)
		part := strings.Join(names[:period], " -> ")
		if times > 1 {
			if period > 1 {
				part = "(" + part + ")"
			}
			part = fmt.Sprintf("%s x%d", part, times)
		}
		parts = append(parts, part)
		names = names[period*times:]
	}
	if len(parts) > maxParts {
		head, tail := parts[:maxParts/3], parts[len(parts)-2*maxParts/3:]
		parts = slices.Concat(head, []string{"..."}, tail)
	}
	return strings.Join(parts, " -> ")
}

// longestCycle returns how names begins: with a cycle of period names that occurs
// a number of times and covers more names than any other; a name alone otherwise.
func longestCycle(names []string) (period, times int) {
	period, times = 1, 1
	for p := 1; p <= min(maxCycle, len(names)/2); p++ {
		end := p
		for end < len(names) && names[end] == names[end-p] {
			end++
		}
		if n := end / p; n > 1 && n*p > period*times {
			period, times = p, n
		}
	}
	return period, times
}
