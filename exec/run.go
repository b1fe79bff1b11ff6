package exec

import (
	"fmt"

	"github.com/frondml/frond/exec/internal/callkey"
	"github.com/frondml/frond/ops"
	"github.com/frondml/frond/recursion"
)

// execute runs one batch of frames of a stage: its code, the invocations it
// starts, its results, and what becomes ready by it. Frames whose data are bad
// end their root's run; the others go on.
func (x *engine) execute(st *stage, frames []int32) {
	code := st.infer
	if x.train {
		code = st.train
	}
	for {
		failed := x.forward(st, code, frames)
		if failed == nil {
			break
		}
		x.failBatch(st, frames, failed)
		if frames = x.dropFailed(frames); len(frames) == 0 {
			return
		}
	}
	x.counts.batches[st.id]++
	x.counts.rows[st.id] += int64(len(frames))
	if x.chains != nil {
		x.chains.stage(st, frames)
	}
	for i := range code.stores {
		x.storeWords(&code.stores[i], frames)
	}
	for i := range code.calls {
		x.startCalls(&code.calls[i], frames)
	}
	if st.isRet {
		x.answerCallers(code, frames)
	}
	for _, next := range st.next {
		for _, f := range frames {
			x.arrived(next, f)
		}
	}
	for _, f := range frames {
		x.finished(f, st.sub)
	}
}

// forward runs the stage's code on the frames. Rows appended by a batch that
// failed are taken back.
func (x *engine) forward(st *stage, code *stageCode, frames []int32) (failed *batchError) {
	x.run.begin(code, len(frames))
	x.run.frames = frames
	for _, l := range code.loads {
		r := x.run.regs[l.reg]
		for j, f := range frames {
			r[j] = x.mem[int(f)+l.offset]
		}
	}
	x.before = x.before[:0]
	for _, o := range code.own {
		x.before = append(x.before, x.stores[o.store].rows)
	}
	if code.share != nil && !x.opts.NoSharing {
		failed = x.shared(st, code, frames)
	} else {
		failed = x.plain(st, code)
	}
	if failed != nil {
		for k := len(code.own) - 1; k >= 0; k-- {
			x.stores[code.own[k].store].rows = x.before[k]
		}
	}
	return failed
}

// plain runs the whole code for every frame.
func (x *engine) plain(st *stage, code *stageCode) *batchError {
	if failed := x.execute1(code.instrs); failed != nil {
		return failed
	}
	if x.train && len(code.back) > 0 {
		if err := x.record(st, code); err != nil {
			return &batchError{-1, nil, err}
		}
	}
	return nil
}

// failBatch ends the roots that an error concerns.
func (x *engine) failBatch(st *stage, frames []int32, b *batchError) {
	if b.frame >= 0 {
		frames = frames[b.frame : b.frame+1]
	}
	for _, f := range frames {
		r := x.mem[f+hRoot]
		if x.roots[r].err != nil {
			continue
		}
		e := &RunError{Path: x.path(f), Root: x.roots[r].index, Err: b.err}
		if b.in != nil && b.in.node != nil {
			e.Op, e.Pos = b.in.node.Op.Name(), b.in.node.Pos
		}
		x.fail(r, e)
	}
}

// word reads a source for frame f, number j of the batch.
func (x *engine) word(s wordSource, j int, f int32) int32 {
	switch s.kind {
	case fromReg:
		return x.run.regs[s.index][j]
	case fromFrame:
		return x.mem[int(f)+s.index]
	}
	return int32(s.index)
}

func (x *engine) storeWords(s *store, frames []int32) {
	for j, f := range frames {
		x.mem[int(f)+s.offset] = x.word(s.src, j, f)
	}
}

// startCalls creates the frames that one call site invokes.
func (x *engine) startCalls(c *callCode, frames []int32) {
	if c.site.op.Mode() == recursion.Each {
		for j, f := range frames {
			x.startEach(c, j, f)
		}
		return
	}
	selects := c.site.op.Mode() == recursion.Select
	for j, f := range frames {
		callee := c.site.callees[0]
		if selects {
			var ok bool
			if callee, ok = x.selected(c, j, f); !ok {
				continue
			}
		}
		h, ok := x.invoke(callee, c.site, f, 0)
		if !ok {
			continue
		}
		args := x.mem[int(h)+headerWords:]
		for k, a := range c.args {
			args[k] = x.word(a, j, f)
		}
		x.push(callee.stages[0], h)
	}
}

// selected returns the callee that the selector names: 0 for true, 1 for false,
// or by number.
func (x *engine) selected(c *callCode, j int, f int32) (*subPlan, bool) {
	i := int(x.word(c.selector, j, f))
	if c.site.isBool {
		i = 1 - i
	}
	if i < 0 || i >= len(c.site.callees) {
		r := x.mem[f+hRoot]
		x.fail(r, &RunError{Path: x.path(f), Op: "switch", Pos: c.site.node.Pos, Root: x.roots[r].index,
			Err: fmt.Errorf("%w: case %d, %d cases", ops.ErrIndex, i, len(c.site.callees))})
		return nil, false
	}
	return c.site.callees[i], true
}

// invoke makes a frame for a callee of frame f. It reports false when the run of
// f's root has ended.
func (x *engine) invoke(callee *subPlan, site *callSite, f int32, elem int) (int32, bool) {
	r := x.mem[f+hRoot]
	if x.roots[r].err != nil {
		return 0, false
	}
	depth := x.mem[f+hDepth]
	if !callee.branch {
		depth++
	}
	if int(depth) > x.opts.MaxDepth {
		x.fail(r, &RunError{Path: x.path(f), Root: x.roots[r].index, Err: fmt.Errorf("%w: more than %d calls on one path", ErrDepth, x.opts.MaxDepth)})
		return 0, false
	}
	h, err := x.newFrame(callee)
	if err != nil {
		x.fail(r, &RunError{Path: x.path(f), Root: x.roots[r].index, Err: err})
		return 0, false
	}
	from, m := x.mem[f:f+headerWords], x.mem[h:h+headerWords]
	if site.tail {
		m[hParent], m[hSlot], m[hElem] = from[hParent], from[hSlot], from[hElem]
	} else {
		m[hParent], m[hSlot], m[hElem] = f, int32(site.slot), int32(elem)
	}
	m[hRoot], m[hDepth] = r, depth
	x.roots[r].live++
	m[hKey] = int32(callkey.Child(uint32(from[hKey]), site.slot, elem))
	if x.chains != nil {
		x.chains.child(f, h)
	}
	return h, true
}

// startEach invokes the callee once per element of the lists of frame f.
func (x *engine) startEach(c *callCode, j int, f int32) {
	site := c.site
	mapped := site.op.Mapped()
	n := len(x.lists.Get(x.word(c.args[0], j, f)))
	for k := 1; k < mapped; k++ {
		if m := len(x.lists.Get(x.word(c.args[k], j, f))); m != n {
			r := x.mem[f+hRoot]
			x.fail(r, &RunError{Path: x.path(f), Op: "map", Pos: site.node.Pos, Root: x.roots[r].index,
				Err: fmt.Errorf("%w: list 0 has %d elements, list %d has %d", ops.ErrLength, n, k, m)})
			return
		}
	}
	for k := range site.node.Out {
		h, _ := x.lists.New(n)
		x.mem[int(f)+site.results+k] = h
	}
	x.mem[int(f)+site.pending] = int32(n)
	if n == 0 {
		x.answered(site, f)
		return
	}
	for e := range n {
		h, ok := x.invoke(site.callees[0], site, f, e)
		if !ok {
			return
		}
		args := x.mem[int(h)+headerWords:]
		for k, a := range c.args {
			w := x.word(a, j, f)
			if k < mapped {
				w = x.lists.Get(w)[e]
			}
			args[k] = w
		}
		x.push(site.callees[0].stages[0], h)
	}
}

// answerCallers hands the results of the frames to whoever invoked them.
func (x *engine) answerCallers(code *stageCode, frames []int32) {
	w := x.answer[0][:len(code.outs)]
	for j, f := range frames {
		for k, o := range code.outs {
			w[k] = x.word(o, j, f)
		}
		if x.chains != nil {
			x.chains.answer(f, x.mem[f+hParent])
		}
		x.deliver(x.mem[f+hParent], x.mem[f+hSlot], x.mem[f+hElem], w)
	}
}

// deliver hands results to call site slot of frame f. Return stages that only
// pass names on are done here, as a loop: a chain of them may be long.
func (x *engine) deliver(f, slot, elem int32, w []int32) {
	if f == noFrame {
		x.rootAnswered(slot, w)
		return
	}
	sub := x.plan.subs[x.mem[f+hSub]]
	site := sub.calls[slot]
	if site.op.Mode() == recursion.Each {
		for k, v := range w {
			x.lists.Get(x.mem[int(f)+site.results+k])[elem] = v
		}
		m := &x.mem[int(f)+site.pending]
		if *m--; *m > 0 {
			return
		}
	} else {
		copy(x.mem[int(f)+site.results:], w)
	}
	x.answered(site, f)
}

// answered notes that a call site of frame f has its results.
func (x *engine) answered(site *callSite, f int32) {
	for _, st := range site.waiting {
		x.arrived(st, f)
	}
	if site.unawaited() {
		x.finished(f, x.plan.subs[x.mem[f+hSub]])
	}
}

// arrived counts down what a stage of frame f waits for and makes it ready.
func (x *engine) arrived(st *stage, f int32) {
	if st.pending > 1 {
		m := &x.mem[int(f)+st.pendOff]
		if *m--; *m > 0 {
			return
		}
	}
	if !st.passes {
		x.push(st, f)
		return
	}
	x.passing = append(x.passing, passed{f, st})
	if len(x.passing) > 1 {
		return // the loop below, further up the stack, continues
	}
	for len(x.passing) > 0 {
		p := x.passing[0]
		x.pass(p)
		x.passing = x.passing[:copy(x.passing, x.passing[1:])]
	}
}

// passed is a return stage that only hands names on.
type passed struct {
	f  int32
	st *stage
}

func (x *engine) pass(p passed) {
	outs := p.st.infer.outs
	w := x.answer[1][:len(outs)]
	for k, o := range outs {
		w[k] = x.word(o, 0, p.f)
	}
	parent, slot, elem := x.mem[p.f+hParent], x.mem[p.f+hSlot], x.mem[p.f+hElem]
	if x.chains != nil {
		x.chains.answer(p.f, parent)
	}
	x.deliver(parent, slot, elem, w)
	x.finished(p.f, p.st.sub)
}

// rootAnswered ends the run of a root.
func (x *engine) rootAnswered(r int32, w []int32) {
	q := &x.roots[r]
	if q.done {
		return
	}
	q.words = append(q.words[:0], w...)
	q.answered = true
}
