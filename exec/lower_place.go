package exec

import (
	"fmt"

	"github.com/frondml/frond/graph"
)

// valueSpace is the space of v's rows.
func (b *builder) valueSpace(v graph.Value) int {
	if !v.Type().IsList() {
		return frameSpace
	}
	if o, ok := b.where[v]; ok {
		return o.space
	}
	return b.flatten(b.wordReg(v, b.p.storeFor(v)))
}

// flatten returns the space of the lists whose handles are in reg.
func (b *builder) flatten(reg int) int {
	if sp, ok := b.spaceOf[reg]; ok {
		return sp
	}
	b.code.spaces = append(b.code.spaces, space{reg})
	sp := len(b.code.spaces) - 1
	b.spaceOf[reg] = sp
	b.emit(instr{kind: doFlatten, space: sp, index: reg})
	return sp
}

func (b *builder) newReg() int {
	b.code.regs++
	return b.code.regs - 1
}

// operand is v as an instruction over the given space reads it.
func (b *builder) operand(v graph.Value, sp int) operand {
	o := b.locate(v)
	o.expand = o.kind != inGlobal && o.space != sp && o.space == frameSpace
	return o
}

// locate finds the rows of v.
func (b *builder) locate(v graph.Value) operand {
	if v.IsGlobal() {
		return operand{kind: inGlobal, global: v}
	}
	if o, ok := b.where[v]; ok {
		return o
	}
	t := v.Type()
	s := b.p.storeFor(v)
	r := b.wordReg(v, s)
	switch {
	case t.IsList() && s == nil:
		return operand{kind: inFlat, index: r, space: b.flatten(r)}
	case t.IsList():
		return operand{kind: inStoreFlat, index: r, store: s.id, offset: b.p.views[v].offset, space: b.flatten(r)}
	case s == nil:
		return operand{kind: inReg, index: r}
	}
	return operand{kind: inStore, index: r, store: s.id, offset: b.p.views[v].offset}
}

// place chooses where the rows of v are written.
func (b *builder) place(v graph.Value, sp int) operand {
	t := v.Type()
	if !hasRows(t) && !t.IsList() {
		r := b.newReg()
		b.regs[v] = r
		return operand{kind: inReg, index: r}
	}
	if b.adj != nil {
		if o, ok := b.adj.dest[v]; ok {
			b.where[v] = o
			return o
		}
	}
	if at, ok := b.rooms[v]; ok {
		o := b.homeOf(at, sp)
		b.where[v] = o
		return o
	}
	var o operand
	switch {
	case b.escapes[v] && hasRows(t):
		o = b.ownIn(b.p.store(v), sp)
	case b.saved[v]:
		o = b.ownIn(b.p.newStore(rowType(t), false), sp)
	default:
		o = b.newBuffer(rowType(t), sp)
	}
	b.where[v] = o
	return o
}

func (b *builder) ownIn(s *storeInfo, sp int) operand {
	b.code.own = append(b.code.own, ownRows{s.id, sp})
	k := len(b.code.own) - 1
	b.emit(instr{kind: doReserve, space: sp, index: k})
	return operand{kind: inOwn, index: k, store: s.id, space: sp}
}

func (b *builder) newBuffer(t graph.Type, sp int) operand {
	b.code.buffers = append(b.code.buffers, buffer{size: t.Size(), ints: !t.DType.IsFloat(), space: sp})
	return operand{kind: inBuffer, index: len(b.code.buffers) - 1, space: sp}
}

// wordReg returns the register with v's word: the value of an integer, the name
// of a row in store s, or a list handle.
func (b *builder) wordReg(v graph.Value, s *storeInfo) int {
	if v.IsGlobal() {
		r := b.newReg()
		b.emit(instr{kind: doConst, index: b.pinned(v, s).index, out: operand{kind: inReg, index: r}})
		return r
	}
	if r, ok := b.regs[v]; ok {
		return r
	}
	r := b.newReg()
	b.regs[v] = r
	o, here := b.where[v]
	if !here {
		off, ok := b.sub.offset[v]
		if !ok {
			panic(fmt.Sprintf("exec: no frame word for the %v in %s", v, b.sub.g.Name))
		}
		if loaded, ok := b.regAt[off]; ok {
			b.code.regs--
			b.regs[v] = loaded
			return loaded
		}
		b.regAt[off] = r
		b.code.loads = append(b.code.loads, load{r, off})
		return r
	}
	kind := doIota
	if v.Type().IsList() {
		kind = doListNames
	}
	b.emit(instr{kind: kind, node: v.Node(), space: o.space, in: []operand{o}, out: operand{kind: inReg, index: r}})
	return r
}

// pinned is the word of a constant or variable that flows into store s.
func (b *builder) pinned(v graph.Value, s *storeInfo) wordSource {
	if s == nil {
		return wordSource{fromConst, int(v.Node().Op.(*graph.Const).I[0])}
	}
	return wordSource{fromConst, int(s.pin(v))}
}

// word is the source of v's word.
func (b *builder) word(v graph.Value, s *storeInfo) wordSource {
	if v.IsGlobal() {
		return b.pinned(v, s)
	}
	return wordSource{fromReg, b.wordReg(v, s)}
}
