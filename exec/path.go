package exec

import (
	"slices"

	"github.com/frondml/frond/exec/internal/reference"
)

// path names the calls that led to frame f, outermost first, and the body in
// which f is. Graphs replaced by what they called in tail position are gone.
func (x *engine) path(f int32) string {
	var names []string
	for at := f; at != noFrame; at = x.mem[at+hParent] {
		s := x.plan.subs[x.mem[at+hSub]]
		if at == f {
			names = append(names, s.g.Name)
		}
		// A branch in tail position has taken the frame of the graph it is in.
		for s.branch && s.replaces {
			s = x.plan.subOf[s.g.Parent]
		}
		if !s.branch && (at != f || s.g.Name != names[0]) {
			names = append(names, s.g.Name)
		}
	}
	slices.Reverse(names)
	return reference.CallPath(names)
}
