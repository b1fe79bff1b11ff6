package exec

// execute runs one batch of frames of a stage: its code, the invocations it
// starts, its results, and what becomes ready by it. Frames whose data are bad
// end their root's run; the others go on.
func (x *engine) execute(st *stage, frames []int32) {
	code := x.codeOf(st)
	if x.dev != nil && x.dev.waits(code) {
		x.dev.start(st, code, frames)
		return
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
	x.complete(st, code, frames)
}

// codeOf returns what the engine executes of a stage.
func (x *engine) codeOf(st *stage) *stageCode {
	if x.train {
		return st.train
	}
	return st.infer
}

// complete does what follows a batch's instructions: the batch is the one in execution.
func (x *engine) complete(st *stage, code *stageCode, frames []int32) {
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
	x.finishedAll(frames, st.sub)
}

// forward runs the stage's code on the frames. Rows appended by a batch that
// failed are taken back.
func (x *engine) forward(st *stage, code *stageCode, frames []int32) (failed *batchError) {
	x.load(code, frames)
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

// load makes frames the batch in execution.
func (x *engine) load(code *stageCode, frames []int32) {
	x.run.begin(code, len(frames))
	x.run.frames = frames
	for _, l := range code.loads {
		r := x.run.regs[l.reg]
		for j, f := range frames {
			r[j] = x.mem[int(f)+l.offset]
		}
	}
}

// plain runs the whole code for every frame.
func (x *engine) plain(st *stage, code *stageCode) *batchError {
	if failed := x.runCode(code.instrs); failed != nil {
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
