package exec

import (
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/ops"
)

// isGemm reports whether the node multiplies rows by a constant or variable
// matrix, which one product does for the whole batch.
func isGemm(n *graph.Node) bool {
	op, ok := n.Op.(ops.MatMulOp)
	return ok && !op.TransA && !reshapedGlobal(n.In[1]).IsZero() && n.In[1].Type().Rank() == 2 && n.In[0].Type().Rank() <= 2
}

// rename compiles a function on words.
func (b *builder) rename(n *graph.Node, l *ops.Lowering) {
	v := n.Result(0)
	var s *storeInfo
	if hasRows(v.Type()) {
		s = b.p.store(v)
	}
	ins := make([]operand, len(n.In))
	for i, in := range n.In {
		var t *storeInfo // none for integers, which lie among the inputs
		if hasRows(in.Type()) {
			if t = s; t == nil {
				t = b.p.storeFor(in)
			}
		}
		ins[i] = operand{kind: inReg, index: b.wordReg(in, t)}
	}
	r := b.newReg()
	b.regs[v] = r
	b.emit(instr{kind: doNames, node: n, names: l.Names, in: ins, out: operand{kind: inReg, index: r}})
}

// window makes the value a part of its input's rows. Named rows of another
// stage and rows of tables can be parts as well.
func (b *builder) window(n *graph.Node, w *ops.Window) {
	o := b.operand(n.In[0], b.valueSpace(n.In[0]))
	o.offset += w.From
	b.where[n.Result(0)] = o
}

// lookUp makes a row of a table an operand in place, when nothing needs a name
// for it. It reports whether it did.
func (b *builder) lookUp(n *graph.Node) bool {
	v, table, index := n.Result(0), n.In[0], n.In[1]
	t := index.Type()
	if b.escapes[v] || table.Type().IsList() || !(t.IsScalar() || t.IsList() && t.Rank() == 1) {
		return false
	}
	sp := b.valueSpace(index)
	o := b.operand(index, sp)
	b.emit(instr{kind: doBounds, node: n, space: sp, in: []operand{o}, index: table.Type().Shape[0]})
	b.code.check = true
	row := operand{global: table, stride: rowSize(table), space: sp, index: o.index}
	switch o.kind {
	case inReg:
		row.kind = inTable
	case inFlat:
		row.kind = inTableFlat
	case inBuffer:
		row.kind = inTableBuffer
		if b.saved[v] {
			return false
		}
	default:
		return false
	}
	b.where[v] = row
	return true
}

func rowSize(table graph.Value) int { return table.Type().Elem().Size() }

// kernel compiles any other operator.
func (b *builder) kernel(n *graph.Node, l *ops.Lowering) {
	v := n.Result(0)
	if b.added[v] || b.addition(n) {
		return // computed where it is added
	}
	i := instr{kind: doRows, node: n, run: l.Rows, elem: l.Elements, keys: -1, size: rowType(v.Type()).Size()}
	if l.Window != nil {
		i.kind, i.floats = doCopy, rowType(v.Type()).DType.IsFloat()
	}
	if l.Segments != nil {
		i.kind, i.run = doSegments, l.Segments
	}
	if _, keyed := n.Op.(ops.DropoutOp); keyed {
		i.keys = b.frameKeys()
	}
	i.space = b.listSpace(n)
	outSpace := i.space
	if !v.Type().IsList() {
		outSpace = frameSpace
	}
	for _, in := range n.In {
		sp := i.space
		if l.Segments != nil && !in.Type().IsList() {
			sp = frameSpace
		}
		i.in = append(i.in, b.operand(in, sp))
	}
	if l.Window != nil {
		i.in[0].offset += l.Window.From
	}
	i.out = b.place(v, outSpace)
	if l.Segments == nil {
		i.space = outSpace
	}
	b.code.check = true
	b.emit(i)
}

func (b *builder) frameKeys() int {
	if b.keyReg < 0 {
		b.keyReg = b.newReg()
		b.code.loads = append(b.code.loads, load{b.keyReg, hKey})
	}
	return b.keyReg
}

// listSpace is the space of the first list among the inputs of n; the others
// are checked to have equal lengths.
func (b *builder) listSpace(n *graph.Node) int {
	sp := frameSpace
	for _, v := range n.In {
		if !v.Type().IsList() {
			continue
		}
		s := b.valueSpace(v)
		switch {
		case sp == frameSpace:
			sp = s
		case sp != s:
			b.code.check = true
			b.emit(instr{kind: doSameLength, node: n, space: sp, index: s})
		}
	}
	return sp
}
