package exec

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// Note [Helpers]
//
// One tree gives one engine's work, which is too little to deal out. While other
// workers are idle, an engine therefore lets a helper goroutine do half of the
// rows, or of the columns, of its large instructions. Waking a parked goroutine
// costs as much as several instructions, so the helper spins for work while the
// engine is busy, and the engine never waits for a helper that has not begun: it
// takes the half back and does it itself.

// team is an engine with its helper. A nil team has none.
type team struct {
	state atomic.Uint32 // of the task
	task  func(*team) error
	quit  atomic.Bool
	timed bool
	busy  atomic.Int64 // nanoseconds of the helper since it was asked for
	alive bool
	gone  chan struct{}
	wake  chan struct{}

	// After the helper kept its engine waiting, it is not asked for the next skip
	// tasks; penalty is how many the next time.
	skip, penalty int
	offered       time.Time

	// The task's arguments and outcome.
	product matrixProduct
	batch   ops.Batch
	run     func(*ops.Batch) error
	first   int // row of the whole batch
	group   *instr
	rows    []ops.Rows
	end     int
	tmp     ops.Scratch
	err     error
}

const (
	taskNone uint32 = iota
	taskOffered
	taskTaken
	taskDone
	helperParked
)

func newTeam() *team {
	return &team{wake: make(chan struct{}, 1)}
}

// spins is how often a helper looks for work before it parks, some 50 µs.
const spins = 20000

// offer gives the helper a task, starting the helper when it is the first.
func (t *team) offer() {
	t.offered = time.Now()
	if !t.alive {
		t.alive = true
		t.gone = make(chan struct{})
		t.quit.Store(false)
		t.state.Store(taskOffered)
		go t.help()
		return
	}
	if t.state.Swap(taskOffered) == helperParked {
		t.wake <- struct{}{}
	}
}

// finish returns when the offered task is done, by whomever. A helper that takes
// much longer than its engine took for the other half has lost its processor, and
// is left alone for a while.
func (t *team) finish() {
	if t.state.CompareAndSwap(taskOffered, taskNone) {
		t.perform()
		return
	}
	half := time.Since(t.offered)
	late := false
	for i := 1; t.state.Load() != taskDone; i++ {
		if late {
			runtime.Gosched()
		} else if i%256 == 0 {
			late = time.Since(t.offered) > 2*half+patience
		}
	}
	t.state.Store(taskNone)
	if late {
		t.penalty = min(2*t.penalty+512, 1<<16)
		t.skip = t.penalty
	} else if t.penalty > 0 {
		t.penalty--
	}
}

// patience is how much longer than its engine a helper may take, for waking up.
const patience = 100 * time.Microsecond

// asked reports whether the helper should get the next task.
func (t *team) asked() bool {
	if t.skip > 0 {
		t.skip--
		return false
	}
	return true
}

// perform does the task; a panic of a kernel becomes its error.
func (t *team) perform() {
	defer func() {
		if p := recover(); p != nil {
			t.err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	t.err = t.task(t)
}

// help is the helper's loop.
func (t *team) help() {
	defer close(t.gone)
	idle := 0
	for !t.quit.Load() {
		if t.state.CompareAndSwap(taskOffered, taskTaken) {
			t.helpOnce()
			t.state.Store(taskDone)
			idle = 0
			continue
		}
		if idle++; idle > spins && t.state.CompareAndSwap(taskNone, helperParked) {
			if t.quit.Load() && t.state.CompareAndSwap(helperParked, taskNone) {
				return // stop looked before the helper parked
			}
			<-t.wake
			idle = 0
		}
	}
}

// helpOnce does one task on the helper's goroutine.
func (t *team) helpOnce() {
	if !t.timed {
		t.perform()
		return
	}
	began := time.Now()
	t.perform()
	t.busy.Add(int64(time.Since(began)))
}

// stop ends the helper and returns when it is gone.
func (t *team) stop() {
	if t == nil || !t.alive {
		return
	}
	t.quit.Store(true)
	if t.state.Swap(taskNone) == helperParked {
		t.wake <- struct{}{}
	}
	<-t.gone
	t.alive = false
}

// matrixProduct is a product, of which a worker computes some panels.
type matrixProduct struct {
	m    int
	a, c ops.Rows
	w    *kernel.Packed
	bias []float32
	add  bool // to what is in c
}

func (p *matrixProduct) panels(from, to int) {
	kernel.GemmPanels(p.m, p.a.F, p.a.Stride, p.a.Index, p.w, p.c.F, p.c.Stride, p.bias, p.add, from, to)
}

const (
	// helpedFlops and helpedElements are the least work that is worth halving:
	// some ten microseconds.
	helpedFlops    = 1_000_000
	helpedElements = 32_768
)

// multiply computes a product with the helper. It reports false when the product
// is too small.
func (t *team) multiply(p *matrixProduct) (bool, error) {
	if 2*p.m*p.w.K*p.w.N < helpedFlops || p.w.Panels < 4 || !t.asked() {
		return false, nil
	}
	t.product, t.task = *p, (*team).multiplyHalf
	t.offer()
	p.panels(0, p.w.Panels/2)
	t.finish()
	return true, t.err
}

func (t *team) multiplyHalf() error {
	t.product.panels(t.product.w.Panels/2, t.product.w.Panels)
	return nil
}

// kernel runs a kernel over rows with the helper.
func (t *team) kernel(run func(*ops.Batch) error, b *ops.Batch) error {
	half := b.N / 2
	t.batch.N, t.batch.Seed, t.batch.Tmp, t.batch.Keys = b.N-half, b.Seed, &t.tmp, nil
	if b.Keys != nil {
		t.batch.Keys = b.Keys[half:]
	}
	t.batch.In = t.batch.In[:0]
	for i := range b.In {
		t.batch.In = append(t.batch.In, rowsFrom(b.In[i], half))
	}
	t.batch.Out = rowsFrom(b.Out, half)
	t.run, t.first, t.task = run, half, (*team).kernelHalf
	t.offer()
	b.N = half
	err := run(b)
	t.finish()
	if err != nil {
		return err
	}
	return t.err
}

// fused executes a group of instructions with the helper.
func (t *team) fused(in *instr, rows []ops.Rows, n int) error {
	half := n / 2
	t.group, t.rows, t.first, t.end, t.task = in, rows, half, n, (*team).fusedHalf
	t.offer()
	in.rowRange(rows, 0, half)
	t.finish()
	return t.err
}

func (t *team) fusedHalf() error {
	t.group.rowRange(t.rows, t.first, t.end)
	return nil
}

func (t *team) kernelHalf() error {
	err := t.run(&t.batch)
	var re *ops.RowError
	if errors.As(err, &re) {
		re.Row += t.first
	}
	return err
}

// rowsFrom is r without its first n rows.
func rowsFrom(r ops.Rows, n int) ops.Rows {
	if r.Index != nil {
		r.Index = r.Index[n:]
		return r
	}
	r.F, r.I = from(r.F, n*r.Stride), from(r.I, n*r.Stride)
	return r
}
