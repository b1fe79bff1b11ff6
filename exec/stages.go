package exec

import (
	"slices"

	"github.com/frondml/frond/graph"
)

// Stage is a part of a graph that is executed at once, for many frames together.
type Stage struct {
	Name  string // as in Session.Plan
	Role  string // when it is executed: calls, leaf, continuation, answer or sink
	Nodes []*graph.Node
}

// Stages returns the stages of a graph of the session's program, with the nodes of each,
// invocations included, in the order of the graph. Nodes that nothing needs, and
// parameters, belong to no stage. It is nil for the graph of another program.
func (s *Session) Stages(g *graph.Graph) []Stage {
	sub := s.plan.subOf[g]
	if sub == nil {
		return nil
	}
	stages := make([]Stage, len(sub.stages))
	for i, st := range sub.stages {
		nodes := slices.Clone(st.nodes)
		for _, c := range st.calls {
			if !slices.Contains(nodes, c.node) {
				nodes = append(nodes, c.node)
			}
		}
		slices.SortFunc(nodes, func(a, b *graph.Node) int { return a.Index - b.Index })
		stages[i] = Stage{Name: st.name(), Role: st.role.String(), Nodes: nodes}
	}
	return stages
}
