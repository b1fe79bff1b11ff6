package exec

import (
	"sync"
	"time"
	"unsafe"
)

// Profile collects what the instructions of programs cost, for Options.Profile.
// Write it when the runs of interest have ended; runs in progress are not in it.
//
// Per instruction of every stage, forward and backward, and per product that makes
// the gradient of a variable, it counts calls, rows, time, floating-point operations
// and bytes. Time is that of the engine's goroutine, by the wall clock; what a stage
// takes beyond its instructions (making frames, comparing keys, starting invocations,
// handing results over) is counted as well. Operations and bytes are estimates from
// the sizes of operands: see Note [Costs].
//
// The zero value is ready for use. A Profile may be given to several sessions, whose
// costs are then in one profile, and is safe for concurrent use. Sessions with
// Options.Reference add nothing.
type Profile struct {
	mu       sync.Mutex
	sessions []*sessionProfile
}

// sessionProfile is the share of one session, guarded by the profile's lock. The
// methods of a nil one do nothing.
type sessionProfile struct {
	mu       *sync.Mutex
	plan     *plan
	began    time.Time
	entries  []bool // per graph: it was the graph of a run
	counts   *meter
	products []productCount // per use of a variable
}

// session adds a session that executes the plan. The Profile may be nil.
func (p *Profile) session(pl *plan) *sessionProfile {
	if p == nil {
		return nil
	}
	s := &sessionProfile{mu: &p.mu, plan: pl, began: time.Now(), entries: make([]bool, len(pl.subs)),
		counts: newMeter(pl), products: make([]productCount, len(pl.uses))}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = append(p.sessions, s)
	return s
}

// meter returns a meter for an engine of the session, nil without a profile.
func (s *sessionProfile) meter() *meter {
	if s == nil {
		return nil
	}
	return newMeter(s.plan)
}

// entry notes the graph of a run: paths of invocations begin there.
func (s *sessionProfile) entry(sub *subPlan) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries[sub.id] = true
}

// add adds the counts of an engine and clears them.
func (s *sessionProfile) add(m *meter) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.add(m)
}

// product adds one product of rows of X and dY, of k and n elements, for a use.
func (s *sessionProfile) product(use, rows, k, n int, d time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.products[use]
	c.calls++
	c.rows += int64(rows)
	c.time += d
	c.cost.add(productCost(rows, k, n))
}

// meter is what one engine measures for a profile. That of an engine without one is
// nil.
type meter struct {
	// code has the counts of every sequence of instructions that was executed, by its
	// first instruction: one look-up per batch instead of a number per instruction.
	code    map[*instr][]instrCount
	batches [2][]instrCount // per stage, forward and backward: whole batches
}

// instrCount is what executions of an instruction, or of batches, have taken.
type instrCount struct {
	calls, rows int64
	frames      int64 // of the batches
	time        time.Duration
}

type productCount struct {
	instrCount
	cost work
}

func newMeter(p *plan) *meter {
	m := &meter{code: map[*instr][]instrCount{}}
	for i := range m.batches {
		m.batches[i] = make([]instrCount, len(p.stages))
	}
	return m
}

// of returns the counts of instructions that are executed in a row, nil when nothing
// is measured.
func (m *meter) of(instrs []instr) []instrCount {
	if m == nil || len(instrs) == 0 {
		return nil
	}
	c := m.code[&instrs[0]]
	if c == nil {
		n := 0
		for i := range instrs {
			n += len(instrs[i].leaves())
		}
		c = make([]instrCount, n)
		m.code[&instrs[0]] = c
	}
	return c
}

// leaves are what is measured apart: the instructions of a group, or the instruction.
func (in *instr) leaves() []instr {
	if in.kind == doFused {
		return in.parts
	}
	return unsafe.Slice(in, 1)
}

// note counts one execution that began at from, and returns when it ended.
func (c *instrCount) note(r *batchRun, in *instr, from time.Time) time.Time {
	now := time.Now()
	c.calls++
	c.rows += int64(r.count(in.space))
	c.frames += int64(r.n)
	c.time += now.Sub(from)
	return now
}

// batch counts a whole batch.
func (m *meter) batch(st *stage, backward bool, n int, d time.Duration) {
	if m == nil {
		return
	}
	pass := 0
	if backward {
		pass = 1
	}
	c := &m.batches[pass][st.id]
	c.calls++
	c.rows += int64(n)
	c.frames += int64(n)
	c.time += d
}

func (c *instrCount) add(o *instrCount) {
	c.calls += o.calls
	c.rows += o.rows
	c.frames += o.frames
	c.time += o.time
}

// add adds o and clears it.
func (m *meter) add(o *meter) {
	for first, counts := range o.code {
		into := m.code[first]
		if into == nil {
			into = make([]instrCount, len(counts))
			m.code[first] = into
		}
		addCounts(into, counts)
	}
	for i := range o.batches {
		addCounts(m.batches[i], o.batches[i])
	}
}

func addCounts(into, counts []instrCount) {
	for i := range counts {
		into[i].add(&counts[i])
	}
	clear(counts)
}
