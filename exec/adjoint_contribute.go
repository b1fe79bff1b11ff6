package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// contribute adds a contribution to its target.
func (a *adjointBuilder) contribute(n *graph.Node, c contribution) {
	t := target(n, c.input)
	switch {
	case t.Variable() != nil:
		a.toVariable(n, c, t.Variable().Index)
	case a.local(t):
		r, off := a.root(t)
		if _, done := a.dest[c.value]; !done {
			a.toPlace(c, a.place(r), off, rowType(t.Type()).Size())
		}
	default:
		a.toNamed(c, t)
	}
}

func (a *adjointBuilder) toVariable(n *graph.Node, c contribution, index int) {
	in := c.value.Node().In
	switch c.form {
	case product:
		x, dy := in[0], in[1]
		if isCotangentOf(x, n) {
			x, dy = dy, x
		}
		a.keep(n, a.useOf[n.Result(0)], x, dy)
	case rowOf:
		sp := a.b.valueSpace(in[0])
		a.b.emit(instr{kind: doSparseRows, space: sp, index: index, size: rowType(in[0].Type()).Size(), reps: rowType(in[1].Type()).Size(),
			in: []operand{a.b.operand(in[0], sp), a.b.operand(in[1], sp)}})
	default:
		a.b.emit(instr{kind: doSumRows, index: index, size: c.value.Type().Size(), in: []operand{a.b.operand(c.value, frameSpace)}})
	}
}

// keep notes the rows of X and of dY for the product at the step's end.
func (a *adjointBuilder) keep(n *graph.Node, use int, x, dy graph.Value) {
	sp := a.b.valueSpace(dy)
	ox := a.b.operand(x, sp)
	u := a.b.p.uses[use]
	u.x = ox
	if a.b.operand(dy, sp).kind != inUse && !a.copied[u.dy] {
		a.copied[u.dy] = true
		r, _ := a.root(n.Result(0))
		to := operand{kind: inUse, index: u.dy, space: sp}
		a.copies = append(a.copies,
			instr{kind: doReserve, space: sp, index: -1 - u.dy},
			instr{kind: doCopy, node: n, space: sp, in: []operand{a.place(r).at}, out: to, size: a.width(r), floats: true})
	}
	a.products = append(a.products, instr{kind: doKeep, node: n, space: sp, index: use, in: []operand{ox}})
}

// toPlace adds to a cotangent that the stage accumulates.
func (a *adjointBuilder) toPlace(c contribution, pl *adjointPlace, off, size int) {
	v := c.value
	switch c.form {
	case padded:
		w, _ := v.Node().Op.(ops.PadOp).Window(v.Node().In[0].Type())
		a.add(v.Node().In[0], pl, ops.Window{From: off + w.From, Size: w.Size})
	case rowOf:
		a.fillGaps(pl, ops.Window{From: off, Size: size})
		to := pl.at
		to.offset += off
		ct, index := v.Node().In[0], v.Node().In[1]
		sp := to.space
		a.b.emit(instr{kind: doScatterAt, space: sp, size: ct.Type().Size(), width: ct.Type().Size(), out: to,
			in: []operand{a.b.operand(ct, sp), a.b.operand(index, sp)}})
	default:
		if src := v; pl.zeroed && a.sharesPlace(src, pl, off) {
			return
		}
		a.add(v, pl, ops.Window{From: off, Size: size})
	}
}

// toNamed adds to the cotangents of rows that are known by name.
func (a *adjointBuilder) toNamed(c contribution, t graph.Value) {
	r, off := a.root(t)
	to := a.b.locate(r)
	to.offset += off
	v, size := c.value, rowType(t.Type()).Size()
	if c.form == padded {
		w, _ := v.Node().Op.(ops.PadOp).Window(v.Node().In[0].Type())
		v, size = v.Node().In[0], w.Size
		to.offset += w.From
	}
	switch to.kind {
	case inStore:
		to.kind = inStoreAdj
	case inStoreFlat:
		to.kind = inStoreFlatAdj
	case inOwn:
		to.kind = inOwnAdj
	case inGlobal:
		return
	}
	a.b.emit(instr{kind: doScatter, space: to.space, size: size, out: to, in: []operand{a.b.operand(v, to.space)}})
}
