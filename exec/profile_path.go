package exec

import (
	"strconv"
	"strings"

	"github.com/frondml/frond/graph"
)

// callPaths has, per graph, how invocations reach it from the graphs of the runs: the
// shortest way, in which no graph occurs twice, so that recursion is written once.
type callPaths []reachedBy

// reachedBy is the last step of the way to a graph.
type reachedBy struct {
	reached bool
	site    *callSite // nil for the graph of a run
	caller  *subPlan
}

// findPaths searches breadth first. What no run reaches keeps the zero value.
func (p *plan) findPaths(entries []bool) callPaths {
	paths := make(callPaths, len(p.subs))
	var queue []*subPlan
	for id, s := range p.subs {
		if entries[id] {
			paths[id].reached = true
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		caller := queue[0]
		queue = queue[1:]
		for _, site := range caller.calls {
			for _, callee := range site.callees {
				if r := &paths[callee.id]; !r.reached {
					*r = reachedBy{true, site, caller}
					queue = append(queue, callee)
				}
			}
		}
	}
	return paths
}

// frameOfStack is a function of a stack with the line that is executed in it.
type frameOfStack struct {
	function string
	pos      graph.Pos
}

// stack is that of an operator applied at pos in graph s, innermost first: the
// operator, the graph, and the graphs on the way to it with the lines that invoke.
func (c callPaths) stack(op string, s *subPlan, pos graph.Pos) []frameOfStack {
	stack := []frameOfStack{{op, pos}, {s.g.Name, pos}}
	for r := c[s.id]; r.site != nil; r = c[s.id] {
		s = r.caller
		stack = append(stack, frameOfStack{s.g.Name, r.site.node.Pos})
	}
	return stack
}

// fileLine takes a position apart.
func fileLine(pos graph.Pos) (file string, line int64) {
	s := pos.String()
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", 0
	}
	line, err := strconv.ParseInt(s[i+1:], 10, 64)
	if err != nil {
		return "", 0
	}
	return s[:i], line
}
