package exec

import "github.com/frondml/frond/ops"

// batchRun is the state of the batch that an engine executes, forward or
// backward. Its memory is reused from batch to batch.
type batchRun struct {
	code   *stageCode
	n      int
	frames []int32 // nil in backward
	regs   [][]int32
	spaces []spaceRows
	row0   []int // per own rows: the first row
	floats [][]float32
	ints   [][]int32
	rooms  []deviceRoom // as floats, on a device
	expand [][]int32    // per input: rows repeated for list elements
	// expandTo is the space of the instruction in execution.
	expandTo int
	zero     []int32
	elemKeys []int32
	// Sharing: the memo entry of every frame, the first frames of new entries,
	// and registers of those frames only.
	entry, firsts []int32
	short         [][]int32
	batch         ops.Batch
	words         ops.Words
	operands      []ops.Rows // of a group of instructions
}

// spaceRows are the rows of a space: element e belongs to frame rowOf[e], and
// frame j has elements seg[j] to seg[j+1]. flat holds the words of the lists.
type spaceRows struct {
	seg, rowOf, flat []int32
}

// begin prepares the state for n frames.
func (r *batchRun) begin(code *stageCode, n int) {
	r.code, r.n = code, n
	for len(r.regs) < code.regs {
		r.regs = append(r.regs, nil)
	}
	for i := range r.regs[:code.regs] {
		r.regs[i] = sized(r.regs[i], n)
	}
	for len(r.spaces) < len(code.spaces) {
		r.spaces = append(r.spaces, spaceRows{})
	}
	for len(r.floats) < len(code.slots) {
		r.floats, r.ints = append(r.floats, nil), append(r.ints, nil)
	}
	r.row0 = sizedInts(r.row0, len(code.own))
}

// held returns the words that count against the memory limit.
func (r *batchRun) held() int {
	n := 0
	for i := range r.floats {
		n += cap(r.floats[i]) + cap(r.ints[i])
	}
	for i := range r.spaces {
		n += cap(r.spaces[i].rowOf) + cap(r.spaces[i].flat)
	}
	return n
}

// sized returns s with length n, its contents arbitrary.
func sized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n, n+n/2)
	}
	return s[:n]
}

func sizedInts(s []int, n int) []int {
	if cap(s) < n {
		return make([]int, n)
	}
	return s[:n]
}

// count returns the number of rows of a space.
func (r *batchRun) count(sp int) int {
	if sp == frameSpace {
		return r.n
	}
	return len(r.spaces[sp].rowOf)
}

// flatten makes the rows of a space from list handles.
func (x *engine) flatten(sp int, handles []int32) error {
	s := &x.run.spaces[sp]
	s.seg = sized(s.seg, x.run.n+1)
	s.seg[0] = 0
	need := 0
	for _, h := range handles {
		need += len(x.lists.Get(h))
	}
	if need > cap(s.flat) {
		grown := need + need/2
		if err := x.mayGrow(2 * int64(grown-cap(s.flat)) * 4); err != nil {
			return err
		}
		s.rowOf, s.flat = make([]int32, 0, grown), make([]int32, 0, grown)
	}
	s.rowOf, s.flat = s.rowOf[:0], s.flat[:0]
	for j, h := range handles {
		elems := x.lists.Get(h)
		s.flat = append(s.flat, elems...)
		for range elems {
			s.rowOf = append(s.rowOf, int32(j))
		}
		s.seg[j+1] = int32(len(s.flat))
	}
	return nil
}

// rows resolves an operand; in is the input's number.
func (x *engine) rows(o *operand, in int) ops.Rows {
	var q ops.Rows
	r := x.run
	switch o.kind {
	case inReg:
		q = ops.Rows{I: r.regs[o.index], Stride: 1}
	case inFlat:
		q = ops.Rows{I: r.spaces[o.space].flat, Stride: 1}
	case inBuffer:
		b := &r.code.buffers[o.index]
		if b.ints {
			q = ops.Rows{I: from(x.intSlot(b), o.offset), Stride: b.size}
		} else {
			q = ops.Rows{F: from(x.floatSlot(b), o.offset), Stride: b.size}
		}
	case inOwn, inStore, inStoreFlat:
		q = x.storeRows(o)
	case inOwnAdj, inStoreAdj, inStoreFlatAdj:
		q = x.adjointRows(o)
	case inGlobal, inTable, inTableFlat, inTableBuffer:
		q = x.globalRows(o)
	case inUse:
		d, stride := &x.dys[o.index], x.plan.dys[o.index].width
		q = ops.Rows{F: from(d.rows, d.n*stride+o.offset), Stride: stride}
	}
	if o.expand && q.Stride != 0 {
		q.Index = x.expanded(&q, o, in)
	}
	return q
}

// from is s[i:], empty when i lies beyond.
func from[T any](s []T, i int) []T {
	if i > len(s) {
		return nil
	}
	return s[i:]
}

func (x *engine) storeRows(o *operand) ops.Rows {
	size, d, r := x.plan.stores[o.store].size, &x.stores[o.store], x.run
	q := ops.Rows{Stride: size}
	at := o.offset
	switch o.kind {
	case inOwn:
		at += r.row0[o.index] * size
	case inStore:
		q.Index = r.regs[o.index]
	default:
		q.Index = r.spaces[o.space].flat
	}
	if x.plan.stores[o.store].ints {
		q.I = from(d.i, at)
	} else {
		q.F = from(d.f, at)
	}
	return q
}

func (x *engine) adjointRows(o *operand) ops.Rows {
	size, d, r := x.plan.stores[o.store].size, &x.stores[o.store], x.run
	switch o.kind {
	case inOwnAdj:
		return ops.Rows{F: from(d.adj, r.row0[o.index]*size+o.offset), Stride: size}
	case inStoreAdj:
		return ops.Rows{F: from(d.adj, o.offset), Stride: size, Index: r.regs[o.index]}
	}
	return ops.Rows{F: from(d.adj, o.offset), Stride: size, Index: r.spaces[o.space].flat}
}

func (x *engine) globalRows(o *operand) ops.Rows {
	f, ints := x.params.global(o.global)
	q := ops.Rows{F: from(f, o.offset), I: from(ints, o.offset), Stride: o.stride}
	switch o.kind {
	case inGlobal:
		q.Stride = 0
	case inTable:
		q.Index = x.run.regs[o.index]
	case inTableFlat:
		q.Index = x.run.spaces[o.space].flat
	case inTableBuffer:
		q.Index = x.intSlot(&x.run.code.buffers[o.index])
	}
	return q
}

// roomFor reports whether a buffer may get the memory that the batch needs.
func (x *engine) roomFor(b *buffer) error {
	need := x.run.code.slots[b.slot].size * x.run.count(b.space)
	have := cap(x.run.floats[b.slot])
	if b.ints {
		have = cap(x.run.ints[b.slot])
	}
	if need <= have {
		return nil
	}
	return x.mayGrow(int64(slotRoom(need)-have) * 4)
}

func (x *engine) floatSlot(b *buffer) []float32 {
	s := &x.run.floats[b.slot]
	need := x.run.code.slots[b.slot].size * x.run.count(b.space)
	if cap(*s) < need {
		*s = make([]float32, slotRoom(need))
	}
	return (*s)[:need]
}

// slotRoom is how much a buffer of n elements takes, so that it need not be made
// anew for every batch that is a little larger.
func slotRoom(n int) int { return n + n/2 }

func (x *engine) intSlot(b *buffer) []int32 {
	s := &x.run.ints[b.slot]
	*s = sized(*s, x.run.code.slots[b.slot].size*x.run.count(b.space))
	return *s
}

// expanded repeats the rows of frames for the elements of the instruction's space.
func (x *engine) expanded(q *ops.Rows, o *operand, in int) []int32 {
	r := x.run
	for len(r.expand) <= in {
		r.expand = append(r.expand, nil)
	}
	rowOf := r.spaces[r.expandTo].rowOf
	idx := sized(r.expand[in], len(rowOf))
	r.expand[in] = idx
	if q.Index == nil {
		copy(idx, rowOf)
		return idx
	}
	for e, j := range rowOf {
		idx[e] = q.Index[j]
	}
	return idx
}
