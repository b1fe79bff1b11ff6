package exec

import (
	"fmt"
	"unsafe"

	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// engine executes invocations on one goroutine: it owns frames, ready queues,
// rows and the tape. Engines share the plan and the parameters, which they only
// read.
type engine struct {
	id     int // row in traces
	trace  *tracer
	plan   *plan
	params *Parameters
	opts   *Options
	train  bool
	seed   uint64 // for dropout; 0 in evaluation

	mem    []int32   // frames
	free   [][]int32 // per graph, frames for reuse
	queues [][]int32 // per stage, ready frames
	taken  []int32   // the batch in execution
	queued int

	stores []rowStore
	lists  arena
	tape   tape
	uses   []useRows
	grads  *gradients // accumulated by this engine

	roots      []root
	failed     int // roots whose frames are to be dropped
	tables     []tableRows
	collecting int     // admitted parts that want tables
	memos      []*memo // per stage that shares rows
	keptAt     uint64  // version of the parameters that kept rows belong to
	before     []int   // rows of stores before the batch
	passing    []passed
	packed     []*kernel.Packed // the plan's weights
	team       *team
	helped     bool // the team\'s helper may be used

	run     batchRun // of the stage in execution
	scratch ops.Scratch
	answer  [2][]int32 // words on their way to a caller
	counts  counters
	chains  *chains
	limit   int64 // bytes; 0: none
}

// rowStore holds the rows of one store, and their cotangents.
type rowStore struct {
	f     []float32
	i     []int32
	adj   []float32
	rows  int
	kept  int // rows behind the pinned ones that reset leaves
	moves []move
}

// useRows collects, during backward, the rows of one product's gradient.
type useRows struct {
	x  []int32
	dy []float32
	n  int
}

// root is one input of a run.
type root struct {
	part     *part
	index    int     // among the run's inputs
	words    []int32 // results
	args     []int32
	loss     lossSum
	live     int // frames
	answered bool
	done     bool
	err      error
}

func newEngine(s *Session, id int, train bool) *engine {
	p := s.plan
	x := &engine{id: id, team: newTeam(), trace: s.trace, plan: p, params: s.params, opts: &s.opts, train: train, limit: s.opts.Memory / int64(s.opts.Workers)}
	x.free = make([][]int32, len(p.subs))
	x.queues = make([][]int32, len(p.stages))
	x.stores = make([]rowStore, len(p.stores))
	x.uses = make([]useRows, len(p.uses))
	x.tables = make([]tableRows, len(p.tables))
	x.memos = make([]*memo, len(p.stages))
	most := 0
	for _, g := range p.subs {
		most = max(most, len(g.g.Out))
	}
	x.answer[0], x.answer[1] = make([]int32, most), make([]int32, most)
	x.counts = newCounters(p)
	if s.opts.Analyse {
		x.chains = newChains(len(p.stages))
	}
	return x
}

// reset forgets all runs; memory is kept for the next ones.
func (x *engine) reset() error {
	x.mem = x.mem[:0]
	for i := range x.free {
		x.free[i] = x.free[i][:0]
	}
	for i := range x.queues {
		x.queues[i] = x.queues[i][:0]
	}
	x.queued, x.failed, x.collecting = 0, 0, 0
	x.roots = x.roots[:0]
	x.lists.reset()
	x.tape.reset()
	for i := range x.uses {
		x.uses[i].x, x.uses[i].n = x.uses[i].x[:0], 0
	}
	for i := range x.tables {
		x.tables[i].reset()
	}
	x.keepRows()
	if x.chains != nil {
		x.chains.reset()
	}
	for i, s := range x.plan.stores {
		x.stores[i].rows = 0
		if err := x.pinRows(s); err != nil {
			return err
		}
		if err := x.appendRows(i, x.stores[i].kept); err != nil { // they are there: nothing moves
			return err
		}
	}
	return nil
}

// pinRows fills the first rows of a store with its constants and variables.
func (x *engine) pinRows(s *storeInfo) error {
	if len(s.pins) == 0 {
		return nil
	}
	if err := x.appendRows(s.id, len(s.pins)); err != nil {
		return err
	}
	d := &x.stores[s.id]
	for i, v := range s.pins {
		f, ints := x.params.global(v)
		if s.ints {
			copy(d.i[i*s.size:], ints)
		} else {
			copy(d.f[i*s.size:], f)
		}
	}
	return nil
}

// appendRows adds n rows to a store. Slices into the store become stale.
func (x *engine) appendRows(id, n int) error {
	s, d := x.plan.stores[id], &x.stores[id]
	need := (d.rows + n) * s.size
	if d.rows+n > maxRows {
		return fmt.Errorf("%w: more than %d rows of %d elements", ErrMemory, maxRows, s.size)
	}
	have := cap(d.f)
	if s.ints {
		have = cap(d.i)
	}
	if need > have {
		grown := need + need/2
		if err := x.mayGrow(int64(grown-have) * 4); err != nil {
			return err
		}
		if s.ints {
			d.i = append(make([]int32, 0, grown), d.i[:d.rows*s.size]...)
		} else {
			d.f = append(make([]float32, 0, grown), d.f[:d.rows*s.size]...)
		}
	}
	d.rows += n
	if s.ints {
		d.i = d.i[:need]
	} else {
		d.f = d.f[:need]
	}
	return nil
}

const maxRows = 1<<31 - 1

// bytes returns the memory that the engine holds.
func (x *engine) bytes() int64 {
	n := cap(x.mem) + cap(x.lists.words) + cap(x.tape.words)
	for i := range x.stores {
		d := &x.stores[i]
		n += cap(d.f) + cap(d.i) + cap(d.adj)
	}
	for i := range x.uses {
		n += cap(x.uses[i].x) + cap(x.uses[i].dy)
	}
	return int64(n)*4 + int64(cap(x.tape.entries))*int64(unsafe.Sizeof(tapeEntry{}))
}

// mayGrow reports whether the engine may take more bytes.
func (x *engine) mayGrow(more int64) error {
	if x.limit == 0 {
		return nil
	}
	if held := x.bytes(); held+more > x.limit {
		return fmt.Errorf("%w: %d bytes are held and %d more needed, the limit per worker is %d", ErrMemory, held, more, x.limit)
	}
	return nil
}

// newFrame takes a frame of a graph.
func (x *engine) newFrame(s *subPlan) (int32, error) {
	x.counts.subs[s.id]++
	if fl := x.free[s.id]; len(fl) > 0 {
		h := fl[len(fl)-1]
		x.free[s.id] = fl[:len(fl)-1]
		copy(x.mem[h:int(h)+s.frameWords], s.template)
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

func (x *engine) push(st *stage, f int32) {
	x.queues[st.id] = append(x.queues[st.id], f)
	x.queued++
}

// pick chooses the next stage: by role, then the longest queue. Under a memory
// limit stages that start invocations come last, so that live frames are few.
func (x *engine) pick() *stage {
	best, bestKey := -1, 0
	for i, q := range x.queues {
		if len(q) == 0 {
			continue
		}
		r := int(x.plan.stages[i].role)
		if x.limit > 0 && r == int(roleCalls) {
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

// frugalBatch bounds the frames that start invocations together under a memory limit.
const frugalBatch = 512

// step executes one batch. It reports whether there was one.
func (x *engine) step() bool {
	st := x.pick()
	if st == nil {
		return false
	}
	q := x.queues[st.id]
	n := len(q)
	if cap := int(x.opts.Batching); cap > 0 {
		n = min(n, cap)
	}
	if x.limit > 0 && st.role == roleCalls {
		n = min(n, frugalBatch)
	}
	// The newest frames first: they are the deepest, which keeps live frames few.
	x.taken = append(x.taken[:0], q[len(q)-n:]...)
	x.queues[st.id] = q[:len(q)-n]
	x.queued -= n
	frames := x.taken
	if x.failed > 0 {
		frames = x.dropFailed(frames)
	}
	if len(frames) > 0 {
		began := x.trace.now()
		x.execute(st, frames)
		x.trace.batch(st, false, len(frames), x.id, began)
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

// global returns the elements of a constant or variable.
func (p *Parameters) global(v graph.Value) ([]float32, []int32) {
	if w := v.Variable(); w != nil {
		return p.values[w.Index], nil
	}
	c := v.Node().Op.(*graph.Const)
	return c.F, c.I
}
