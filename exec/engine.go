package exec

import (
	"time"

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
	live   int       // frames in use
	queues [][]int32 // per stage, ready frames
	taken  []int32   // the batch in execution
	queued int
	parts  int // that share the engine
	picks  int
	turn   int // stage that a fair pick took last

	stores []rowStore
	lists  arena
	tape   tape
	uses   []useRows
	dys    []dyRows
	grads  *gradients // accumulated by this engine

	roots      []root
	freeRoots  []int32 // of runs that have ended without an error
	failed     int     // roots whose frames are to be dropped
	tables     []tableRows
	collecting int     // admitted parts that want tables
	memos      []*memo // per stage that shares rows
	keptAt     uint64  // version of the parameters that kept rows belong to
	before     []int   // rows of stores before the batch
	passing    []passed
	packed     []*kernel.Packed // the plan's weights
	biases     [][]float32      // of weights that are made of others
	dev        *deviceEngine    // nil on the processor
	team       *team
	helped     bool // the team's helper may be used

	run     *batchRun // of the stage in execution
	scratch ops.Scratch
	answer  [2][]int32 // words on their way to a caller
	counts  counters
	chains  *chains
	timed   bool
	began   time.Time // of the batch in execution, when timed
	meter   *meter    // nil unless there is a profile
	limit   int64     // bytes; 0: none
}

// useRows collects, during backward, which rows of X a product's gradient reads.
type useRows struct {
	x []int32
	n int
}

// dyRows collects the rows of dY.
type dyRows struct {
	rows []float32
	n    int
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

func newEngine(s *Session, id int, train bool) (*engine, error) {
	p := s.plan
	x := &engine{id: id, team: newTeam(), trace: s.trace, plan: p, params: s.params, opts: &s.opts, train: train, limit: s.opts.memoryPerWorker()}
	x.lists.mayGrow = x.mayGrow
	x.run = &batchRun{}
	x.free = make([][]int32, len(p.subs))
	x.queues = make([][]int32, len(p.stages))
	x.stores = make([]rowStore, len(p.stores))
	x.uses, x.dys = make([]useRows, len(p.uses)), make([]dyRows, len(p.dys))
	x.tables = make([]tableRows, len(p.tables))
	x.memos = make([]*memo, len(p.stages))
	most := 0
	for _, g := range p.subs {
		most = max(most, len(g.g.Out))
	}
	x.answer[0], x.answer[1] = make([]int32, most), make([]int32, most)
	x.counts = newCounters(p)
	x.timed, x.meter = s.opts.timed(), s.profile.meter()
	x.team.timed = x.timed
	if s.opts.Analyse {
		x.chains = newChains(x)
	}
	if s.device == nil {
		return x, nil
	}
	var err error
	x.dev, err = newDeviceEngine(x, s.device)
	return x, err
}

// reset forgets all runs; memory is kept for the next ones.
func (x *engine) reset() error {
	err := x.restart()
	if err != nil && x.dev != nil { // it may have read parameters
		_ = x.dev.ended()
	}
	return err
}

func (x *engine) restart() error {
	x.mem = x.mem[:0]
	for i := range x.free {
		x.free[i] = x.free[i][:0]
	}
	for i := range x.queues {
		x.queues[i] = x.queues[i][:0]
	}
	x.queued, x.failed, x.collecting, x.live = 0, 0, 0, 0
	x.roots, x.freeRoots = x.roots[:0], x.freeRoots[:0]
	x.lists.reset()
	x.tape.reset()
	for i := range x.uses {
		x.uses[i].x, x.uses[i].n = x.uses[i].x[:0], 0
	}
	for i := range x.dys {
		x.dys[i].n = 0
	}
	for i := range x.tables {
		x.tables[i].reset()
	}
	if x.dev != nil {
		if err := x.dev.reset(); err != nil {
			return err
		}
	}
	if err := x.keepRows(); err != nil {
		return err
	}
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
