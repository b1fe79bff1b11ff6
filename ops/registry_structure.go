package ops

import "github.com/frondml/frond/graph"

// structureRegistry holds the operators that multiply, move and pick.
func structureRegistry() map[string]func([]graph.Attr) (graph.Op, error) {
	return map[string]func([]graph.Attr) (graph.Op, error){}
}
