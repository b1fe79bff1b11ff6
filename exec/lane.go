package exec

import "sync"

// lane is an engine that inference runs share. Whoever brings a part while no
// one drives the lane drives it, until its own part has ended; then another
// waiting goroutine takes over. So concurrent runs are batched together, and no
// goroutine outlives the run that needs it.
type lane struct {
	s  *Session
	id int
	mu sync.Mutex
	// guarded by mu
	x       *engine // nil until first used
	inbox   []*part
	waiting []*part // parts on the engine, in order of arrival
	driven  bool
}

// fullLane is what an engine may hold before a lane finishes what it has and takes
// no more: rows stay until an engine is reset. Under a memory limit it is half of that, on
// a device a quarter, since rows are there twice when their memory grows.
const fullLane = 256 << 20

func (l *lane) full() bool {
	most := int64(fullLane)
	switch {
	case l.x.limit > 0 && l.x.dev != nil:
		most = min(most, l.x.limit/4)
	case l.x.limit > 0:
		most = min(most, l.x.limit/2)
	}
	return l.x.used() > most
}

// do executes a part and returns when it has ended.
func (l *lane) do(p *part) {
	l.mu.Lock()
	l.inbox = append(l.inbox, p)
	if l.driven {
		l.mu.Unlock()
		select {
		case <-p.ended:
			return
		case <-p.lead:
		}
	} else {
		l.driven = true
		l.mu.Unlock()
	}
	l.drive(p)
}

// drive executes batches until p has ended.
func (l *lane) drive(p *part) {
	l.s.driven.Add(1)
	defer l.s.driven.Add(-1)
	l.s.activity.work(1)
	defer l.s.activity.work(-1)
	for {
		l.admit()
		if l.x != nil {
			l.x.helped = l.s.idle()
			l.round()
		}
		select {
		case <-p.ended:
			if l.x != nil {
				l.x.team.stop()
			}
			l.handOver()
			return
		default:
		}
	}
}

// admit moves parts from the inbox to the engine.
func (l *lane) admit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		if err := l.begin(); err != nil {
			for _, p := range l.inbox {
				p.err = err
				close(p.ended)
			}
			l.inbox = l.inbox[:0]
			return
		}
	} else if len(l.inbox) == 0 || l.full() {
		return
	}
	for _, p := range l.inbox {
		p.admit(l.x)
		l.waiting = append(l.waiting, p)
	}
	l.inbox = l.inbox[:0]
}

// begin makes the engine ready for runs, when it has none.
func (l *lane) begin() error {
	if l.x == nil {
		x, err := newEngine(l.s, l.id, false)
		if err != nil {
			return err
		}
		l.x = x
	}
	l.x.packed, l.x.biases = l.s.packed, l.s.biases
	return l.x.reset()
}

// batchesPerRound is how many batches are executed before new parts are taken.
const batchesPerRound = 4

// round executes some batches and ends the parts that are done.
func (l *lane) round() {
	l.x.parts = len(l.waiting)
	for range batchesPerRound {
		if !l.x.step() {
			l.x.abortStuck(l.waiting)
			break
		}
	}
	kept := l.waiting[:0]
	for _, p := range l.waiting {
		if p.remaining > 0 && p.stopped.Load() {
			l.x.abort(p, p.ctx.Err())
		}
		if p.remaining > 0 {
			kept = append(kept, p)
			continue
		}
		if err := p.collect(l.x); err != nil && p.err == nil {
			p.err = err
		}
		p.release(l.x)
		l.s.addCounts(l.x, p)
		close(p.ended)
	}
	clear(l.waiting[len(kept):])
	l.waiting = kept
}

// handOver lets another goroutine drive the lane when parts wait.
func (l *lane) handOver() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range append(l.waiting[:len(l.waiting):len(l.waiting)], l.inbox...) {
		p.lead <- struct{}{} // has room for one
		return
	}
	l.driven = false
}
