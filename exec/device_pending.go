package exec

import "slices"

// Note [Batches that wait]
//
// When a stage computes integers from floats, its batch is put aside while they are on
// their way, and the engine goes on with other ready frames. It returns to the batch when
// they have come, or waits when nothing else is ready. Only stages whose rows are not
// shared wait in this way, and backward never: there the next batch needs the last one. In
// gradient runs the engine returns only when nothing else is ready: what it does next must
// not depend on time.

// pendingBatch is a batch that waits for integers.
type pendingBatch struct {
	st       *stage
	code     *stageCode
	frames   []int32
	run      *batchRun
	phase    int // the next one
	integers []fetched
}

// waits reports whether batches of the code may have to wait.
func (d *deviceEngine) waits(code *stageCode) bool {
	return len(code.instrs) > 0 && (code.share == nil || d.x.opts.NoSharing) && d.s.code[&code.instrs[0]].waits
}

// start begins to execute a batch.
func (d *deviceEngine) start(st *stage, code *stageCode, frames []int32) {
	d.begin(&pendingBatch{st: st, code: code, frames: slices.Clone(frames)})
}

// begin executes a batch from the beginning.
func (d *deviceEngine) begin(b *pendingBatch) {
	b.run = d.x.run
	d.x.load(b.code, b.frames)
	b.phase = 0
	d.advance(b)
}

// advance executes the batch up to where it has to wait or ends. Frames whose data are bad
// end their root's run; then the others begin anew.
func (d *deviceEngine) advance(b *pendingBatch) {
	failed := d.untilWaiting(b)
	if failed != nil {
		d.x.failBatch(b.st, b.frames, failed)
		if b.frames = d.x.dropFailed(b.frames); len(b.frames) > 0 {
			d.begin(b)
		}
		return
	}
	if len(b.integers) > 0 {
		d.pending = append(d.pending, b)
		d.switchTo(d.spareRun())
		return
	}
	d.x.complete(b.st, b.code, b.frames)
}

// untilWaiting executes phases until there are integers to wait for.
func (d *deviceEngine) untilWaiting(b *pendingBatch) *batchError {
	var current *instr
	code := d.s.code[&b.code.instrs[0]]
	for b.phase < len(code.phases) {
		if failed := d.phase(&code.phases[b.phase], &current); failed != nil {
			return failed
		}
		b.phase++
		if b.integers = d.takeFetched(); len(b.integers) > 0 {
			return nil
		}
	}
	if d.x.train && len(b.code.back) > 0 {
		if err := d.x.record(b.st, b.code); err != nil {
			return &batchError{-1, nil, err}
		}
	}
	return nil
}

// resume goes on with a batch whose integers have come, or waits for the oldest. It
// reports whether there was one.
func (d *deviceEngine) resume(wait bool) bool {
	i := -1
	if !d.x.train { // the order in which gradients are added up must not depend on time
		i = slices.IndexFunc(d.pending, (*pendingBatch).ready)
	}
	if i < 0 && wait && len(d.pending) > 0 {
		i = 0
	}
	if i < 0 {
		return false
	}
	b := d.pending[i]
	d.pending = slices.Delete(d.pending, i, i+1)
	d.spare = append(d.spare, d.x.run)
	d.switchTo(b.run)
	integers := b.integers
	b.integers = nil
	if err := d.receive(integers); err != nil {
		d.x.failBatch(b.st, b.frames, &batchError{-1, integers[0].in, d.wrap(err)})
		return true
	}
	d.advance(b)
	return true
}

func (b *pendingBatch) ready() bool {
	for _, f := range b.integers {
		if !f.words.Done() {
			return false
		}
	}
	return true
}

// switchTo puts the batch in execution apart and makes another the one in execution. What
// is apart does not grow, so it is enough to count it here.
func (d *deviceEngine) switchTo(r *batchRun) {
	d.apart += d.x.run.held() - r.held()
	d.x.run = r
}

func (d *deviceEngine) spareRun() *batchRun {
	if n := len(d.spare); n > 0 {
		r := d.spare[n-1]
		d.spare = d.spare[:n-1]
		return r
	}
	return &batchRun{}
}

// forgetPending gives up what waits: its roots have failed.
func (d *deviceEngine) forgetPending() {
	for _, b := range d.pending {
		d.releaseFetched(b.integers)
		d.spare = append(d.spare, b.run)
	}
	d.pending = d.pending[:0]
}
