package console

import (
	"io"
	"sync"
	"time"
)

const (
	// redrawEvery keeps a terminal readable and its cost out of the work's way.
	redrawEvery = 100 * time.Millisecond
	// logEvery keeps the log of a night's run short.
	logEvery = 5 * time.Second
)

// Progress reports the progress of one piece of work. Make it with New.
type Progress struct {
	out   terminal
	clock func() time.Time
	start time.Time

	mu    sync.Mutex
	state state
	drawn time.Time // when the last line was written
	done  bool
}

// New starts the clock of a piece of work of total items and returns its Progress,
// which writes to w. The label precedes every line. With a total of 0 or less, for
// work of unknown length, percentage and time to go are left out.
func New(w io.Writer, total int, label string) *Progress {
	return start(detect(w), time.Now, total, label)
}

func start(out terminal, clock func() time.Time, total int, label string) *Progress {
	now := clock()
	return &Progress{out: out, clock: clock, start: now, drawn: now, state: state{label: printable(label), total: total}}
}

// Add reports that n more items are done. The note, a loss for instance, ends the
// line until the next Add. After Done it does nothing.
func (p *Progress) Add(n int, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	p.state.count += n
	p.state.note = printable(note)
	now := p.clock()
	every := logEvery
	if p.out.redraws {
		every = redrawEvery
	}
	if now.Sub(p.drawn) < every {
		return
	}
	p.drawn = now
	p.out.draw(p.state.line(now.Sub(p.start), false))
}

// Done writes the final line, with the time taken in place of the time to go. Only
// the first call does something.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	p.done = true
	p.out.finish(p.state.line(p.clock().Sub(p.start), true))
}
