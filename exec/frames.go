package exec

import (
	"fmt"
)

// newFrame takes a frame of a graph.
func (x *engine) newFrame(s *subPlan) (int32, error) {
	x.counts.subs[s.id]++
	x.live++
	if fl := x.free[s.id]; len(fl) > 0 {
		h := fl[len(fl)-1]
		x.free[s.id] = fl[:len(fl)-1]
		for _, c := range s.counts { // the rest is written before it is read
			x.mem[h+c.offset] = c.value
		}
		return h, nil
	}
	h := len(x.mem)
	if h+s.frameWords > cap(x.mem) {
		if h+s.frameWords > maxRows {
			return 0, fmt.Errorf("%w: frames take more than %d words", ErrMemory, maxRows)
		}
		if err := x.mayGrow(int64(cap(x.mem)) * 4); err != nil {
			return 0, err
		}
	}
	x.mem = append(x.mem, s.template...)
	return int32(h), nil
}

// finished notes that a stage of the frame has run, and frees the frame after
// its last stage.
func (x *engine) finished(f int32, s *subPlan) {
	m := &x.mem[f+hRemain]
	*m--
	if *m == 0 {
		x.live--
		x.free[s.id] = append(x.free[s.id], f)
		if x.chains != nil {
			x.chains.drop(f)
		}
		q := &x.roots[x.mem[f+hRoot]]
		if q.live--; q.live == 0 && q.answered && !q.done {
			q.done = true
			q.part.remaining--
		}
	}
}

// finishedAll is finished for many frames of one graph.
func (x *engine) finishedAll(frames []int32, s *subPlan) {
	if x.chains != nil {
		for _, f := range frames {
			x.finished(f, s)
		}
		return
	}
	mem, free := x.mem, x.free[s.id]
	before := len(free)
	for _, f := range frames {
		m := mem[f : f+headerWords]
		if m[hRemain]--; m[hRemain] > 0 {
			continue
		}
		free = append(free, f)
		q := &x.roots[m[hRoot]]
		if q.live--; q.live == 0 && q.answered && !q.done {
			q.done = true
			q.part.remaining--
		}
	}
	x.free[s.id] = free
	x.live -= len(free) - before
}

func (x *engine) push(st *stage, f int32) {
	x.queues[st.id] = append(x.queues[st.id], f)
	x.queued++
}

// manyFrames is how many frames may live before new ones are made sparingly. They fill
// the second-level cache, and batches have long been wide enough.
const manyFrames = 1 << 14

// frugal reports whether live frames are to be few: under a memory limit, or when there
// are many.
func (x *engine) frugal() bool { return x.limit > 0 || x.live > manyFrames }

// pick chooses the next stage: by role, then the longest queue. When frames are to be
// few, stages that start invocations come last.
func (x *engine) pick() *stage {
	best, bestKey := -1, 0
	frugal := x.frugal()
	for i, q := range x.queues {
		if len(q) == 0 {
			continue
		}
		r := int(x.plan.stages[i].role)
		if r == int(roleAnswer) && x.parts > 1 {
			r = int(roleContinuation) // other runs' work may go on and on
		}
		if frugal && r == int(roleCalls) {
			r = int(roleSink) + 1
		}
		if key := r<<40 - len(q); best < 0 || key < bestKey {
			best, bestKey = i, key
		}
	}
	if best < 0 {
		return nil
	}
	return x.plan.stages[best]
}

// fairPicks is how often, while several runs share the engine, a stage gets its
// turn without regard to its role: a run that never ends must not keep the others
// from ending.
const fairPicks = 64

// fairPick returns the next stage in turn that has ready frames.
func (x *engine) fairPick() *stage {
	for range x.queues {
		x.turn = (x.turn + 1) % len(x.queues)
		if len(x.queues[x.turn]) > 0 {
			return x.plan.stages[x.turn]
		}
	}
	return nil
}

// frugalBatch bounds the frames that start invocations together when frames are to be few.
const frugalBatch = 512

// step executes one batch. It reports whether there was one.
func (x *engine) step() bool {
	if x.dev != nil && x.dev.resume(false) {
		return true
	}
	st, fair := x.pick(), x.parts > 1 && x.picks%fairPicks == 0
	if x.picks++; fair {
		st = x.fairPick()
	}
	if st == nil {
		return x.dev != nil && x.dev.resume(true)
	}
	q := x.queues[st.id]
	n := len(q)
	if cap := int(x.opts.Batching); cap > 0 {
		n = min(n, cap)
	}
	if st.role == roleCalls && x.frugal() {
		n = min(n, frugalBatch)
	}
	if fair {
		x.taken = append(x.taken[:0], q[:n]...)
		copy(q, q[n:])
	} else { // the newest frames: they are the deepest, which keeps live frames few
		x.taken = append(x.taken[:0], q[len(q)-n:]...)
	}
	x.queues[st.id] = q[:len(q)-n]
	x.queued -= n
	frames := x.taken
	if x.failed > 0 {
		frames = x.dropFailed(frames)
	}
	if len(frames) > 0 {
		x.batchBegins()
		x.execute(st, frames)
		x.batchEnded(st, false, len(frames))
	}
	return true
}

// dropFailed removes the frames of roots that have failed.
func (x *engine) dropFailed(frames []int32) []int32 {
	kept := frames[:0]
	for _, f := range frames {
		if x.roots[x.mem[f+hRoot]].err == nil {
			kept = append(kept, f)
		}
	}
	return kept
}

// fail ends the run of a root.
func (x *engine) fail(r int32, err error) {
	q := &x.roots[r]
	if q.done {
		return
	}
	q.err, q.done = err, true
	x.failed++
	q.part.remaining--
}
