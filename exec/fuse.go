package exec

import (
	"reflect"
	"slices"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// Note [Fusing]
//
// Element-wise instructions that follow each other over the same rows are executed
// together: all of them for a few rows, which stay in the first-level cache, then for
// the next few. What only makes words or room is moved before them, and sums over the
// rows behind them. Instructions of the same operator on neighbouring parts of rows
// become one, and a result that is only added to a cotangent is added where it is
// computed, when there is a kernel for that.
//
// Executing by rows is right because an instruction reads of what the others write
// nothing but the same row: other rows of the batch have names that no frame of the
// batch could know, except its own.

// fuse groups the element-wise instructions of a sequence.
func fuse(instrs []instr) []instr {
	f := &fuser{}
	for _, in := range fuseAdds(instrs) {
		switch {
		case in.fusible():
			f.add(in)
		case in.onlyPrepares():
			f.out = append(f.out, in)
		case in.kind == doSumRows && len(f.group) > 0:
			f.sums = append(f.sums, in)
		default:
			f.closeGroup()
			f.out = append(f.out, in)
		}
	}
	f.closeGroup()
	return f.out
}

// fuser is a sequence in the making.
type fuser struct {
	out   []instr
	group []instr // the next
	sums  []instr // sums of rows that wait until the group is complete
}

func (f *fuser) add(in instr) {
	fits := len(f.group) == 0 || f.group[0].space == in.space
	for i := range f.sums {
		fits = fits && !touches(in.out, in.size, f.sums[i].in[0], f.sums[i].size)
	}
	if !fits {
		f.closeGroup()
	}
	f.group = append(f.group, in)
}

func (f *fuser) closeGroup() {
	if len(f.group) > 0 {
		f.out = append(f.out, newGroup(f.group))
	}
	f.out = append(f.out, f.sums...)
	f.group, f.sums = nil, nil
}

// fusible reports whether the instruction works element by element on wide rows of
// floats.
func (in *instr) fusible() bool {
	if in.size < narrowRow && !in.add {
		return false
	}
	switch in.kind {
	case doRows:
		return in.elem != nil && in.out.kind != inReg
	case doCopy:
		return in.floats
	case doAdd, doScatter, doZero:
		return true
	}
	return false
}

// onlyPrepares reports whether the instruction makes words or room and reads nothing
// that fusible instructions write.
func (in *instr) onlyPrepares() bool {
	switch in.kind {
	case doReserve, doIota, doConst, doNames, doFlatten:
		return true
	}
	return false
}

// newGroup makes one instruction of several. The operands of all are resolved once.
func newGroup(parts []instr) instr {
	parts = mergeNeighbours(parts)
	slices.Reverse(parts)
	parts = mergeNeighbours(parts) // at the place of the last
	slices.Reverse(parts)
	g := instr{kind: doFused, space: parts[0].space, node: parts[0].node, operator: parts[0].operator, keys: -1, parts: parts, splits: true}
	g.size = parts[0].size
	floats, places := 0, map[operand]int{}
	place := func(o operand, size int) int {
		i, ok := places[o]
		if !ok {
			i = len(g.in)
			places[o] = i
			g.in = append(g.in, o)
			floats += size
		}
		return i
	}
	for i := range parts {
		p := &parts[i]
		p.chooseFunction()
		p.to = place(p.out, p.size)
		for k, o := range p.in {
			p.from[k] = place(o, p.size)
		}
		if k := p.out.kind; k == inStoreAdj || k == inStoreFlatAdj {
			g.splits = false // two frames may add to the same row
		}
	}
	g.chunk = max(1, groupFloats/floats)
	for i := range parts {
		g.work += parts[i].size
	}
	return g
}

// groupFloats is how many elements the instructions of a group touch before the next
// rows: half of the smallest first-level cache.
const groupFloats = 4096

// chooseFunction sets the function that the instruction applies to a row.
func (in *instr) chooseFunction() {
	switch in.kind {
	case doRows:
		in.mapRow, in.zipRow = in.elem.Map, in.elem.Zip
		if in.add {
			in.mapRow, in.zipRow = in.elem.AddMap, in.elem.AddZip
		}
	case doCopy:
		in.mapRow = func(dst, x []float32) { copy(dst, x) }
	case doAdd, doScatter:
		in.mapRow = kernel.AddTo
	case doZero:
		in.mapRow = func(dst, _ []float32) { clear(dst) }
		in.in = []operand{in.out}
	}
}

// neighbours is how far apart instructions may be that become one: planning a long
// straight-line program must not take the square of its length.
const neighbours = 64

// mergeNeighbours makes one of instructions that do the same to neighbouring parts, at
// the place of the first.
func mergeNeighbours(parts []instr) []instr {
	var merged []instr
next:
	for _, p := range parts {
		for i := len(merged) - 1; i >= max(0, len(merged)-neighbours); i-- {
			q := &merged[i]
			if !p.maySwap(q) { // nor be one with it: p may read what q writes
				break
			}
			switch {
			case p.same(q) && p.goesOn(q):
				q.size += p.size
				continue next
			case p.same(q) && q.goesOn(&p):
				p.size += q.size
				*q = p
				continue next
			}
		}
		merged = append(merged, p)
	}
	return merged
}

// maySwap reports whether the order of two instructions makes no difference.
func (in *instr) maySwap(o *instr) bool {
	for _, x := range in.in {
		if touches(o.out, o.size, x, in.size) {
			return false
		}
	}
	for _, x := range o.in {
		if touches(in.out, in.size, x, o.size) {
			return false
		}
	}
	return !touches(in.out, in.size, o.out, o.size)
}

// same reports whether the instructions apply the same function.
func (in *instr) same(o *instr) bool {
	if in.kind != o.kind || in.add != o.add || len(in.in) != len(o.in) || in.kind == doRows && !sameOp(in.node.Op, o.node.Op) {
		return false
	}
	return true
}

func sameOp(a, b graph.Op) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}

// goesOn reports whether every operand of the instruction begins where that of o ends.
func (in *instr) goesOn(o *instr) bool {
	next := func(a, b operand) bool {
		b.offset += o.size
		return a == b
	}
	for k := range in.in {
		if !next(in.in[k], o.in[k]) {
			return false
		}
	}
	return next(in.out, o.out)
}

// fuseAdds computes a temporary value where it is added, when that is all that happens
// to it.
func fuseAdds(instrs []instr) []instr {
	reads, writes := map[int]int{}, map[int]int{}
	for i := range instrs {
		for _, o := range instrs[i].in {
			if o.kind == inBuffer || o.kind == inTableBuffer {
				reads[o.index]++
			}
		}
		if o := instrs[i].out; o.kind == inBuffer {
			writes[o.index]++
		}
	}
	gone := make([]bool, len(instrs))
	for i := range instrs {
		t := &instrs[i]
		if !t.addable() || reads[t.out.index] != 1 || writes[t.out.index] != 1 {
			continue
		}
		if k := addOf(instrs, i); k >= 0 {
			moved := *t
			moved.add, moved.out = true, instrs[k].out
			instrs[k], gone[i] = moved, true
		}
	}
	var left []instr
	for i := range instrs {
		if !gone[i] {
			left = append(left, instrs[i])
		}
	}
	return left
}

// addable reports whether the instruction fills a buffer that it could be added from.
func (in *instr) addable() bool {
	return in.kind == doRows && in.elem != nil && !in.add && in.size >= narrowRow && in.out.kind == inBuffer &&
		(in.elem.AddMap != nil || in.elem.AddZip != nil)
}

// addOf returns the instruction that adds the result of instruction i, if i can be
// executed in its stead; else -1.
func addOf(instrs []instr, i int) int {
	t := &instrs[i]
	for k := i + 1; k < len(instrs); k++ {
		in := &instrs[k]
		if len(in.in) == 1 && in.in[0] == t.out {
			if (in.kind == doAdd || in.kind == doScatter) && in.space == t.space && in.size == t.size {
				return k
			}
			return -1
		}
		for _, o := range t.in {
			if touches(in.out, in.extent(), o, t.size) {
				return -1
			}
		}
	}
	return -1
}

// extent is how many elements from the beginning of its result the instruction may
// write.
func (in *instr) extent() int {
	if in.kind == doScatterAt { // at a place that is computed
		return 1 << 30
	}
	return in.size
}

// touches reports whether writing n elements at o may change what is read of m elements
// at p.
func touches(o operand, n int, p operand, m int) bool {
	a, b := o.memory(), p.memory()
	if a.kind != b.kind || a.number != b.number {
		return false
	}
	return o.offset < p.offset+m && p.offset < o.offset+n
}

// memory is what operands have to share to overlap.
type memory struct {
	kind   operandKind
	number int
}

func (o operand) memory() memory {
	switch o.kind {
	case inStore, inStoreFlat, inOwn:
		return memory{inStore, o.store}
	case inStoreAdj, inStoreFlatAdj, inOwnAdj:
		return memory{inStoreAdj, o.store}
	}
	return memory{o.kind, o.index}
}
