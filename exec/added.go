package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// Note [Added operands]
//
// In z = p + f(x, y) the kernel that adds f(x, y) to p saves a pass and a temporary
// row, where there is one. It rounds once where the two operators would round twice.
// Whether it is used depends on the graph alone, so that a value has the same bits in
// inference and in training. Cotangents accumulate likewise: see fuseAdds.

// narrowRow is the size of rows below which a call per row would cost more than
// fusing saves.
const narrowRow = 32

// findAdded marks the operands of additions that are computed by adding.
func (b *builder) findAdded() {
	for _, n := range b.st.nodes {
		if !ops.IsAdd(n.Op) || elementwise(n) == nil {
			continue
		}
		if t := n.Out[0]; t.IsList() || t.Size() < narrowRow {
			continue
		}
		z, operands := n.Result(0), n.In
		s := b.sumOf[z]
		switch {
		case s != nil && s.root != z:
			continue
		case s != nil:
			operands = s.others
		}
		for k := len(operands) - 1; k >= 0; k-- {
			if b.mayBeAdded(operands[k]) {
				b.added[operands[k]] = true
				if s == nil {
					break
				}
			}
		}
	}
}

func (b *builder) mayBeAdded(q graph.Value) bool {
	if !b.inStage(q) || b.uses[q] != 1 || b.escapes[q] {
		return false
	}
	e := elementwise(q.Node())
	return e != nil && (e.AddMap != nil || e.AddZip != nil)
}

// addition compiles z = p + q with q added, and reports whether one operand is.
func (b *builder) addition(n *graph.Node) bool {
	k := -1
	for i, v := range n.In {
		if b.added[v] {
			k = i
		}
	}
	if k < 0 {
		return false
	}
	p, q, z := n.In[1-k], n.In[k], n.Result(0)
	from := b.operand(p, frameSpace)
	to := b.place(z, frameSpace)
	size := z.Type().Size()
	if from != to {
		b.emit(instr{kind: doCopy, node: n, in: []operand{from}, out: to, size: size, floats: true})
	}
	b.addTo(q, to)
	return true
}

// addTo adds q, which is computed only here.
func (b *builder) addTo(q graph.Value, to operand) {
	n := q.Node()
	i := instr{kind: doRows, node: n, keys: -1, elem: elementwise(n), add: true, out: to, size: q.Type().Size()}
	for _, in := range n.In {
		i.in = append(i.in, b.operand(in, frameSpace))
	}
	b.emit(i)
}
