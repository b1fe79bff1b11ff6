package exec

import "github.com/frondml/frond/graph"

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
		if n.Op.Name() != "add" || elementwise(n) == nil || b.isBiasSum(n) {
			continue
		}
		if t := n.Out[0]; t.IsList() || t.Size() < narrowRow {
			continue
		}
		for k := len(n.In) - 1; k >= 0; k-- {
			if b.mayBeAdded(n.In[k]) {
				b.added[n.In[k]] = true
				break
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
		b.emit(instr{kind: doCopy, node: n, in: []operand{from}, out: to, size: size})
	}
	i := instr{kind: doRows, node: q.Node(), keys: -1, elem: elementwise(q.Node()), add: true, out: to, size: size}
	for _, in := range q.Node().In {
		i.in = append(i.in, b.operand(in, frameSpace))
	}
	b.emit(i)
	return true
}
