package exec

import (
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// adjointProduct compiles a product of an adjoint with a matrix that all rows share.
func (b *builder) adjointProduct(n *graph.Node) {
	v, x := n.Result(0), n.In[0]
	i := instr{kind: doGemm, node: n, reps: 1, space: b.valueSpace(x), index: b.p.weightOf(n)}
	if x.Type().Rank() == 2 && !x.Type().IsList() {
		i.reps = x.Type().Shape[0]
	}
	if call := b.adj.joined[v]; call != nil {
		i.in, i.index = []operand{b.adj.cotangents(call)}, b.adj.stacked(call)
	} else {
		i.in = []operand{b.operand(x, i.space)}
	}
	i.out = b.place(v, i.space)
	i.size = rowType(v.Type()).Size()
	b.emit(i)
}

// cotangents is where the cotangents of the sums of a call lie side by side.
func (a *adjointBuilder) cotangents(call *productCall) operand {
	first, last := call.sums[0], call.sums[len(call.sums)-1]
	r, off := a.root(first.root)
	pl := a.place(r)
	a.fillGaps(pl, ops.Window{From: off, Size: last.offset - off + rowType(last.root.Type()).Size()})
	o := pl.at
	o.offset += off
	return o
}

// stacked is the matrix that takes the cotangents of a call's sums to that of the
// operand.
func (a *adjointBuilder) stacked(call *productCall) int {
	var parts []int
	for _, n := range call.nodes {
		parts = append(parts, a.b.p.weightOf(a.contributionOf(n).Node()))
	}
	return a.b.p.joined(parts, true, slices.Repeat([]graph.Value{{}}, len(parts)))
}
