package host

import (
	"fmt"
	"sync/atomic"

	"github.com/frondml/frond/exec/device"
)

// stamp is an operation: the seq-th of a stream, counted from 1. The zero stamp comes
// before everything.
type stamp struct {
	stream int
	seq    uint64
	what   string
}

// clock is a vector clock: element i says up to which operation of stream i its owner
// is ordered behind (Mattern 1989).
type clock []uint64

func (c clock) covers(s stamp) bool {
	return s.seq == 0 || s.stream < len(c) && c[s.stream] >= s.seq
}

// set raises an element.
func (c *clock) set(stream int, seq uint64) {
	for len(*c) <= stream {
		*c = append(*c, 0)
	}
	(*c)[stream] = max((*c)[stream], seq)
}

// join raises all elements to those of another clock.
func (c *clock) join(other clock) {
	for stream, seq := range other {
		c.set(stream, seq)
	}
}

// access is a use of a buffer.
type access struct {
	buffer *buffer
	write  bool
}

// uses makes an operation of the stream that accesses buffers, all of them or none.
func (s *Stream) uses(what string, accesses ...access) error {
	d := s.device
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range accesses {
		if a.buffer.freed {
			return fmt.Errorf("%s: %w", what, ErrFreed)
		}
		if d.options.Check {
			if err := s.ordered(what, a); err != nil {
				return err
			}
		}
	}
	if !d.options.Check {
		return nil
	}
	now := stamp{s.number, d.last[s.number] + 1, what}
	d.last.set(s.number, now.seq)
	s.clock.set(s.number, now.seq)
	for _, a := range accesses {
		a.buffer.note(now, a.write)
	}
	return nil
}

// ordered reports an access that nothing orders behind another stream's.
func (s *Stream) ordered(what string, a access) error {
	if w := a.buffer.wrote; !s.behind(w) {
		return s.race(what, a, w, "writes")
	}
	if !a.write {
		return nil
	}
	for _, r := range a.buffer.reads {
		if !s.behind(r) {
			return s.race(what, a, r, "reads")
		}
	}
	return nil
}

// behind reports whether the stream's next operation comes after another.
func (s *Stream) behind(o stamp) bool { return s.clock.covers(o) || s.device.done.covers(o) }

func (s *Stream) race(what string, a access, other stamp, does string) error {
	use := "reads"
	if a.write {
		use = "writes"
	}
	return fmt.Errorf("%w: %s on stream %d %s a buffer of %d words that %s on stream %d %s, and no event orders them",
		ErrRace, what, s.number, use, len(a.buffer.words), other.what, other.stream, does)
}

// note remembers an access.
func (b *buffer) note(now stamp, write bool) {
	if write {
		b.wrote, b.reads = now, b.reads[:0]
		return
	}
	for i := range b.reads {
		if b.reads[i].stream == now.stream {
			b.reads[i] = now
			return
		}
	}
	b.reads = append(b.reads, now)
}

// waited notes that the host has waited for the stream's work.
func (s *Stream) waited() {
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	s.device.done.join(s.clock)
}

// event is a point in a stream's order.
type event struct {
	device   *Device
	clock    clock
	released atomic.Bool
}

// Record implements device.Stream.
func (s *Stream) Record() (device.Event, error) {
	if err := s.begin("Record"); err != nil {
		return nil, err
	}
	defer s.end()
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	s.device.held.Events++
	return &event{device: s.device, clock: append(clock(nil), s.clock...)}, nil
}

// Wait implements device.Stream.
func (s *Stream) Wait(e device.Event) error {
	own, ok := e.(*event)
	switch {
	case !ok || own.device != s.device:
		return argument("Wait: a %T is no event of device %s", e, s.device.Name())
	case own.released.Load():
		return argument("Wait: the event was released")
	}
	if err := s.begin("Wait"); err != nil {
		return err
	}
	defer s.end()
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	s.clock.join(own.clock)
	return nil
}

// Release implements device.Event.
func (e *event) Release() {
	if e.released.CompareAndSwap(false, true) {
		e.device.mu.Lock()
		defer e.device.mu.Unlock()
		e.device.held.Events--
	}
}
