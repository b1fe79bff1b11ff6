package exec

import (
	"slices"

	"github.com/frondml/frond/graph"
)

// view is where the rows of a value lie that shares its name with others.
type view struct {
	store  *storeInfo
	offset int
}

// findViews finds the values of a stage that share names, before code is made of them.
func (p *plan) findViews(st *stage) {
	if !st.passes {
		newBuilder(p, st).findSums()
	}
}

// viewStore returns the store of the rows of a block whose sums other stages read. All
// have the frame word of the first.
func (p *plan) viewStore(s *subPlan, bl *block) *storeInfo {
	first := bl.sums[0].root
	if v, ok := p.views[first]; ok {
		return v.store
	}
	store := p.newStore(graph.T(graph.Float32, bl.width), true)
	for _, t := range bl.sums {
		p.views[t.root] = view{store, t.offset}
		s.offset[t.root] = s.offset[first]
	}
	return store
}

// crosses reports whether only the floats of other stages of the graph read v: no
// invocation gets its name, and no result is it.
func (s *subPlan) crosses(v graph.Value) bool {
	for _, n := range s.g.Nodes {
		if (isCall(n) || isRename(n)) && slices.Contains(n.In, v) {
			return false
		}
	}
	return !slices.Contains(s.g.Results, v)
}
