package exec

import (
	"slices"

	"github.com/frondml/frond/graph"
)

// Note [Recomputing]
//
// Rows kept for backward are written to memory and read again, when they have long left
// the caches. What one pass of plain arithmetic makes of rows that are kept anyway is
// therefore computed again, among the element-wise instructions of the adjoint, whose
// few rows are in the first-level cache. Transcendental functions cost more than the
// way to memory, and rows that the gradient of a product reads must lie in a store.

// cheap lists the operators that are computed again.
var cheap = []string{"add", "sub", "mul", "neg", "abs", "square", "mul_scalar", "add_scalar", "relu", "maximum", "minimum"}

// chooseRecomputed takes what is computed again out of what is kept.
func (a *adjointBuilder) chooseRecomputed() {
	stored := a.rowsOfProducts()
	for _, n := range a.b.st.nodes {
		if len(n.Out) == 1 && a.b.isWindow(n.Result(0)) != nil {
			r, _ := a.b.windowRoot(n.Result(0))
			stored[r] = true // the part is not computed again
		}
	}
	for _, n := range a.b.st.nodes {
		if len(n.Out) != 1 || !a.b.saved[n.Result(0)] || !slices.Contains(cheap, n.Op.Name()) || elementwise(n) == nil {
			continue
		}
		v := n.Result(0)
		if a.b.sumOf[v] != nil || a.b.escapes[v] || stored[v] || v.Type().IsList() || v.Type().Size() < narrowRow {
			continue
		}
		if !slices.ContainsFunc(n.In, func(x graph.Value) bool { return !a.available(x) }) {
			delete(a.b.saved, v)
			a.again[v] = true
		}
	}
}

// rowsOfProducts are the values that gradients of products read.
func (a *adjointBuilder) rowsOfProducts() map[graph.Value]bool {
	rows := map[graph.Value]bool{}
	for _, ls := range a.steps {
		for _, c := range ls.into {
			if c.form != product {
				continue
			}
			for _, x := range c.value.Node().In {
				r, _ := a.b.windowRoot(x)
				rows[r] = true
			}
		}
	}
	return rows
}

// available reports whether backward can read v.
func (a *adjointBuilder) available(v graph.Value) bool {
	r, _ := a.b.windowRoot(v)
	return r.IsGlobal() || !a.b.inStage(r) || a.b.escapes[r] || a.b.saved[r]
}

// recompute compiles again what a step reads and is not kept.
func (a *adjointBuilder) recompute(ls *liveStep) {
	for _, n := range ls.Nodes {
		if !ls.need[n] {
			continue
		}
		for _, v := range n.In {
			r, _ := a.b.windowRoot(v)
			if !a.again[r] {
				continue
			}
			delete(a.again, r)
			delete(a.b.rooms, r)
			delete(a.b.where, r)
			if err := a.b.node(r.Node()); err != nil {
				panic(err) // it has been compiled before
			}
		}
	}
}
