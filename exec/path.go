package exec

import (
	"fmt"
	"slices"
	"strings"
)

// path names the invocations that led to frame f, outermost first; a repeated
// cycle is written once with its count. Callers replaced by tail calls are gone.
func (x *engine) path(f int32) string {
	var subs []int32
	for f != noFrame {
		subs = append(subs, x.mem[f+hSub])
		f = x.mem[f+hParent]
	}
	slices.Reverse(subs)
	var parts []string
	for i := 0; i < len(subs); {
		length, times := longestCycle(subs[i:])
		names := make([]string, length)
		for k := range names {
			names[k] = x.plan.subs[subs[i+k]].g.Name
		}
		s := strings.Join(names, " -> ")
		if times > 1 {
			if length > 1 {
				s = "(" + s + ")"
			}
			s = fmt.Sprintf("%s x%d", s, times)
		}
		parts = append(parts, s)
		i += length * times
		if len(parts) == maxPathParts && i < len(subs) {
			parts = append(parts, fmt.Sprintf("... %d more", len(subs)-i))
			break
		}
	}
	return strings.Join(parts, " -> ")
}

const (
	maxCycle     = 8  // graphs in a cycle that is recognised
	maxPathParts = 24 // what a message can hold
)

// longestCycle returns the length and the repetitions of the cycle at the start
// of s that covers most of it.
func longestCycle(s []int32) (length, times int) {
	length, times = 1, 1
	for n := 1; n <= maxCycle && n <= len(s); n++ {
		k := 1
		for (k+1)*n <= len(s) && slices.Equal(s[:n], s[k*n:(k+1)*n]) {
			k++
		}
		if k > 1 && k*n > length*times {
			length, times = n, k
		}
	}
	return length, times
}
