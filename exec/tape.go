package exec

import (
	"errors"
	"unsafe"
)

// tape lists the batches of a training run in the order of their execution,
// which is a topological order of everything computed.
type tape struct {
	entries []tapeEntry
	words   []int32
}

// tapeEntry is one batch: its stage, its frames' registers that backward reads,
// and the first rows it appended to stores.
type tapeEntry struct {
	stage *stage
	n     int
	words int // offset of the registers
	rows  int // offset of the first rows
}

const entryBytes = int64(unsafe.Sizeof(tapeEntry{}))

func (t *tape) reset() { t.entries, t.words = t.entries[:0], t.words[:0] }

// record puts the batch in execution on the tape.
func (x *engine) record(st *stage, code *stageCode) error {
	t := &x.tape
	more := int64(0)
	if need := len(t.words) + len(code.tape)*x.run.n + len(code.own); need > cap(t.words) {
		more = int64(need) * 4
	}
	if n := len(t.entries); n == cap(t.entries) {
		more += int64(n) * entryBytes
	}
	if more > 0 {
		if err := x.mayGrow(more); err != nil {
			return err
		}
	}
	e := tapeEntry{stage: st, n: x.run.n, words: len(t.words)}
	for _, r := range code.tape {
		t.words = append(t.words, x.run.regs[r]...)
	}
	e.rows = len(t.words)
	for _, r := range x.run.row0 {
		t.words = append(t.words, int32(r))
	}
	t.entries = append(t.entries, e)
	return nil
}

// restore makes the batch of an entry the one in execution.
func (x *engine) restore(e *tapeEntry) {
	code := e.stage.train
	x.run.begin(code, e.n)
	x.run.frames = nil
	at := e.words
	for _, r := range code.tape {
		copy(x.run.regs[r], x.tape.words[at:at+e.n])
		at += e.n
	}
	for k := range x.run.row0 {
		x.run.row0[k] = int(x.tape.words[e.rows+k])
	}
}

// backward runs the adjoint of every batch, the last one first.
func (x *engine) backward(stop func() error) error {
	if err := x.clearAdjoints(); err != nil {
		return err
	}
	if err := x.seedAdjoints(); err != nil {
		return err
	}
	for i := len(x.tape.entries) - 1; i >= 0; i-- {
		if err := stop(); err != nil {
			return err
		}
		e := &x.tape.entries[i]
		x.batchBegins()
		x.restore(e)
		if b := x.runCode(e.stage.train.back); b != nil {
			r := &RunError{Path: "gradient of " + e.stage.sub.g.Name, Err: b.err}
			if b.in != nil && b.in.node != nil {
				r.Op, r.Pos = b.in.node.Op.Name(), b.in.node.Pos
			}
			return r
		}
		x.batchEnded(e.stage, true, e.n)
	}
	if x.dev != nil {
		return x.dev.pinnedGradients()
	}
	x.pinnedGradients()
	return nil
}

// clearAdjoints makes room for the cotangents of all named rows and zeroes it.
func (x *engine) clearAdjoints() error {
	if x.dev != nil {
		return x.dev.clearAdjoints()
	}
	for id, s := range x.plan.stores {
		if !s.named || s.ints {
			continue
		}
		d := &x.stores[id]
		need := d.rows * s.size
		if cap(d.adj) < need {
			grown := need + need/4
			if err := x.mayGrow(int64(grown-cap(d.adj)) * 4); err != nil {
				return err
			}
			d.adj = make([]float32, need, grown)
			continue
		}
		d.adj = d.adj[:need]
		clear(d.adj)
	}
	return nil
}

// seedAdjoints adds the cotangents that the run's caller gives for results.
func (x *engine) seedAdjoints() (err error) {
	for i := range x.roots {
		q := &x.roots[i]
		if q.part.cotangents == nil {
			continue
		}
		g := q.part.sub.g
		for k, ct := range q.part.cotangents[q.index] {
			if len(ct.F) == 0 {
				continue
			}
			x.eachRow(g.Out[k], q.words[k], func(e int, name int32) {
				s := q.part.sub.results[k]
				if x.dev != nil {
					err = errors.Join(err, x.dev.addAdjoint(s, name, ct.F[e*s.size:(e+1)*s.size]))
					return
				}
				dst := x.stores[s.id].adj[int(name)*s.size:]
				for j, v := range ct.F[e*s.size : (e+1)*s.size] {
					dst[j] += v
				}
			})
		}
	}
	return err
}

// pinnedGradients moves the cotangents of variables' pinned rows to their gradients.
func (x *engine) pinnedGradients() {
	for id, s := range x.plan.stores {
		if s.ints {
			continue
		}
		for i, v := range s.pins {
			if w := v.Variable(); w != nil && !w.Frozen {
				x.grads.addDenseRow(w.Index, x.stores[id].adj[i*s.size:(i+1)*s.size])
			}
		}
	}
}
