package exec

import (
	"context"
	"errors"
	"sync/atomic"
)

// part is the share of a run that one engine executes.
type part struct {
	ctx        context.Context
	sub        *subPlan
	inputs     [][]Array // of the whole run
	cotangents [][]Array
	from, to   int // the part's inputs
	result     *Result
	key        uint32
	tables     bool

	roots     []int32 // numbers on the engine, in order of inputs
	remaining int     // roots that have not ended
	stopped   atomic.Bool
	err       error         // of the whole part
	ended     chan struct{} // closed when the part has ended
	lead      chan struct{} // receives when the part's goroutine is to drive its lane
}

// keys returns the key of an input's root frame.
func (p *part) keys(index int) uint32 { return p.key + uint32(index) }

// admit starts the part's roots on the engine.
func (p *part) admit(x *engine) {
	p.remaining = p.to - p.from
	if p.tables {
		x.collecting++
	}
	for i := p.from; i < p.to; i++ {
		if err := x.addRoot(p, i); err != nil {
			x.abort(p, err)
			return
		}
	}
	if x.dev != nil {
		if err := x.dev.sendInputs(); err != nil {
			x.abort(p, err)
		}
	}
}

// abort ends all roots of a part that have not ended.
func (x *engine) abort(p *part, err error) {
	p.err = err
	for _, r := range p.roots {
		x.fail(r, err)
	}
	p.remaining = 0
}

// errStuck means that frames wait for something that will not come, which is a
// mistake in the planner.
var errStuck = errors.New("exec: invocations wait for results that nobody computes")

// abortStuck ends the parts whose roots have not ended although nothing is ready.
func (x *engine) abortStuck(parts []*part) {
	for _, p := range parts {
		if p.remaining > 0 {
			x.abort(p, errStuck)
		}
	}
}

// collect copies what the part's roots have computed into the result.
func (p *part) collect(x *engine) error {
	g := p.sub.g
	if x.dev != nil {
		if err := x.dev.bringResults(p); err != nil {
			return err
		}
	}
	m := hostMemory{inputs: len(p.roots)}
	for _, r := range p.roots {
		q := &x.roots[r]
		if q.err != nil {
			p.result.errs[q.index] = q.err
			continue
		}
		p.result.Losses[q.index] = q.loss.value()
		p.result.sums[q.index] = q.loss
		out := carve(&m.arrays, len(g.Out), m.inputs)
		for k, t := range g.Out {
			out[k] = x.fetch(&m, t, p.sub.results[k], q.words[k], false)
		}
		p.result.Outputs[q.index] = out
	}
	if p.tables {
		x.tablesOf(p, p.result.Tables)
	}
	x.counts.runs += int64(p.to - p.from)
	return nil
}

// release forgets the part's roots once nothing refers to them. Roots that failed
// may have frames in queues, so their numbers are not used again.
func (p *part) release(x *engine) {
	if p.tables {
		x.dropRows(p)
		x.collecting--
	}
	for _, r := range p.roots {
		if x.roots[r].err == nil {
			x.freeRoots = append(x.freeRoots, r)
		}
	}
}

// collectGradients copies the cotangents of the part's float inputs.
func (p *part) collectGradients(x *engine) error {
	g := p.sub.g
	if x.dev != nil {
		if err := x.dev.bringInputGradients(p); err != nil {
			return err
		}
	}
	m := hostMemory{inputs: len(p.roots)}
	for _, r := range p.roots {
		q := &x.roots[r]
		in := carve(&m.arrays, len(g.In), m.inputs)
		for k, t := range g.In {
			if t.DType.IsFloat() {
				in[k] = x.fetch(&m, t, p.sub.params[k], q.args[k], true)
			}
		}
		p.result.InputGrads[q.index] = in
	}
	return nil
}
