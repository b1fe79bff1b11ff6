package level

import (
	"sync"
	"sync/atomic"
)

// team is a group of goroutines that work in phases. Phases are so short that
// parking between them may cost more than they take, so those who wait spin for a
// while, and park when the processor that they wait for seems to be busy with
// something else.
type team struct {
	size    int
	arrived atomic.Int32
	phase   atomic.Int32
	mu      sync.Mutex
	next    sync.Cond // the phase has changed
}

func newTeam(size int) *team {
	t := &team{size: size}
	t.next.L = &t.mu
	return t
}

// run calls f on every member of the team.
func (t *team) run(f func(worker int)) {
	var others sync.WaitGroup
	for i := 1; i < t.size; i++ {
		others.Go(func() { f(i) })
	}
	f(0)
	others.Wait()
}

// spins is how often a waiting member looks before it parks: for some 20 µs, which
// is what waking it up takes.
const spins = 20000

// wait returns when all members have called it.
func (t *team) wait() {
	if t.size == 1 {
		return
	}
	phase := t.phase.Load()
	if int(t.arrived.Add(1)) == t.size {
		t.arrived.Store(0)
		t.mu.Lock()
		t.phase.Add(1)
		t.mu.Unlock()
		t.next.Broadcast()
		return
	}
	for range spins {
		if t.phase.Load() != phase {
			return
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.phase.Load() == phase {
		t.next.Wait()
	}
}
