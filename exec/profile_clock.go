package exec

import (
	"sync"
	"time"
)

// activity measures, for sessions that look at the clock, how long there were runs
// and follows how many workers were at work. The methods of a nil one do nothing.
type activity struct {
	workers int
	trace   *tracer

	mu      sync.Mutex
	runs    int // in progress
	working int
	since   time.Time     // when the first of them began
	active  time.Duration // before that
}

// run adds to the number of runs in progress.
func (a *activity) run(n int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if a.runs > 0 {
		a.active += now.Sub(a.since)
	}
	a.since = now
	a.runs += n
	a.show()
}

// work adds to the number of workers at work.
func (a *activity) work(n int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.working += n
	a.show()
}

// show traces the workers. Engines of gradient and of inference runs may be at work
// at once, more than there are workers.
func (a *activity) show() {
	idle := 0
	if a.runs > 0 {
		idle = max(0, a.workers-a.working)
	}
	a.trace.workers(a.working, idle)
}

// idle returns the time of all workers during runs beyond the time that they were busy.
func (a *activity) idle(busy time.Duration) time.Duration {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	active := a.active
	if a.runs > 0 {
		active += time.Since(a.since)
	}
	return max(0, time.Duration(a.workers)*active-busy)
}

func (a *activity) reset() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.active, a.since = 0, time.Now()
}

// batchBegins starts the clock of a batch.
func (x *engine) batchBegins() {
	if x.timed {
		x.began = time.Now()
	}
}

// batchEnded counts a batch, or its adjoint.
func (x *engine) batchEnded(st *stage, backward bool, rows int) {
	if !x.timed {
		return
	}
	took := time.Since(x.began)
	x.counts.busy += took + time.Duration(x.team.busy.Swap(0))
	x.meter.batch(st, backward, rows, took)
	x.trace.batch(st, backward, rows, x.id, x.began, took)
}

// now returns the time, zero when the session does not look at the clock.
func (s *Session) now() time.Time {
	if !s.opts.timed() {
		return time.Time{}
	}
	return time.Now()
}

// productDone counts a product for the gradient of a variable, of rows of X and dY
// with k and n elements.
func (s *Session) productDone(use, rows, k, n int, began time.Time) {
	if !s.opts.timed() {
		return
	}
	took := time.Since(began)
	s.profile.product(use, rows, k, n, took)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.busy += took
}
