package exec

// assignSlots gives the buffers that the instructions use memory, so that
// buffers of the same kind whose lives do not overlap share it.
func assignSlots(code *stageCode, instrs []instr) {
	last := map[int]int{}
	each := func(i int, f func(b int)) {
		in := &instrs[i]
		for _, o := range append(in.in[:len(in.in):len(in.in)], in.out) { // those of a group are its inputs
			if o.kind == inBuffer || o.kind == inTableBuffer {
				f(o.index)
			}
		}
	}
	for i := range instrs {
		each(i, func(b int) { last[b] = i })
	}
	given := map[int]bool{}
	for i := range instrs {
		each(i, func(b int) {
			if !given[b] {
				given[b] = true
				code.buffers[b].slot = code.takeSlot(&code.buffers[b])
			}
		})
		each(i, func(b int) {
			if last[b] == i && !code.buffers[b].ints { // a device reads integers late

				code.slots[code.buffers[b].slot].free = true
			}
		})
	}
}

func (code *stageCode) takeSlot(b *buffer) int {
	best := -1
	for i, s := range code.slots {
		if s.free && s.ints == b.ints && s.space == b.space && (best < 0 || s.size >= b.size && s.size < code.slots[best].size) {
			best = i
		}
	}
	if best < 0 {
		code.slots = append(code.slots, slot{ints: b.ints, space: b.space})
		best = len(code.slots) - 1
	}
	s := &code.slots[best]
	s.size, s.free = max(s.size, b.size), false
	return best
}
