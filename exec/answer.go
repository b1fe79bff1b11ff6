package exec

import (
	"github.com/frondml/frond/recursion"
)

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
