package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/frondml/frond/gpu/driver"
)

// Event is a point in a stream's order. It is safe for concurrent use.
type Event struct {
	device *Device
	handle driver.Event
	at     stamp
	clock  clock // of the stream at that point
	done   atomic.Bool
	users  atomic.Int32 // the owner and those who look after it
}

// Record returns an event at the present end of the stream.
func (s *Stream) Record() (*Event, error) {
	if err := s.enter(&opRecord); err != nil {
		return nil, err
	}
	defer s.leave()
	e, err := s.record()
	return e, s.failed(&opRecord, err)
}

// record is Record within a call.
func (s *Stream) record() (*Event, error) {
	e, err := s.device.events.get(s.caller)
	if err != nil {
		return nil, s.device.noted(err)
	}
	if err := s.caller.Record(e.handle, s.handle); err != nil {
		e.Release()
		return nil, s.device.noted(err)
	}
	e.at = stamp{s.id, s.seq.Load()}
	e.clock.assign(s.clock)
	return e, nil
}

// Wait lets all later work of the stream wait for an event. It costs nothing where
// the stream is ordered behind the event anyway.
func (s *Stream) Wait(e *Event) error {
	if err := s.enter(&opWait); err != nil {
		return err
	}
	defer s.leave()
	if e == nil || e.users.Load() <= 0 || e.device != s.device {
		return s.failed(&opWait, fmt.Errorf("%w: the event was released or is of another device", ErrArgument))
	}
	if s.clock.covers(e.at) {
		return nil
	}
	if !e.done.Load() {
		if err := s.caller.Wait(s.handle, e.handle); err != nil {
			return s.failed(&opWait, s.device.noted(err))
		}
	}
	// The wait is an operation of its own: whoever is ordered behind the one before it
	// is not behind what was waited for.
	s.clock.join(e.clock)
	s.issued(&opWait)
	return nil
}

// Done reports whether the work before the event is done. It does not wait.
func (e *Event) Done() (bool, error) {
	if e.done.Load() {
		return true, nil
	}
	done, err := e.ask()
	return done, e.failed(err)
}

// ask is Done without the wrapping of errors.
func (e *Event) ask() (bool, error) {
	if e.done.Load() {
		return true, nil
	}
	c, err := e.device.enter()
	if err != nil {
		// What was known to be done before stays done.
		if e.device.isDone(e.at) {
			return true, nil
		}
		return false, err
	}
	defer e.device.leave(c)
	done, err := e.query(c)
	return done, e.device.noted(err)
}

// failed wraps an error of an event.
func (e *Event) failed(err error) error {
	if err == nil {
		return nil
	}
	return &StreamError{Stream: e.at.stream, Op: opEvent.name, Err: err}
}

// query asks the driver, within a call.
func (e *Event) query(c *driver.Caller) (bool, error) {
	if e.done.Load() {
		return true, nil
	}
	done, err := c.EventDone(e.handle)
	if done {
		e.device.finished(e.clock)
		e.done.Store(true)
	}
	return done, err
}

// Notify calls a function once, when the work before the event is done or the
// device is lost. It may be called at once; else the device's own goroutine calls
// it, so it must not block. The event may be released before.
func (e *Event) Notify(f func(error)) {
	done, err := e.ask()
	if done || err != nil {
		f(e.failed(err))
		return
	}
	e.users.Add(1)
	e.device.watch.add(e, func(err error) { f(e.failed(err)) })
}

// Wait waits until the work before the event is done. No thread waits with it.
func (e *Event) Wait(ctx context.Context) error {
	return e.failed(e.wait(ctx))
}

// wait is Wait without the wrapping of errors.
func (e *Event) wait(ctx context.Context) error {
	if done, err := e.ask(); done || err != nil {
		return err
	}
	w := waiters.Get().(*waiter)
	e.users.Add(1)
	e.device.watch.add(e, w.tell)
	select {
	case err := <-w.result:
		waiters.Put(w)
		return err
	case <-ctx.Done():
		return context.Cause(ctx) // the waiter is still to be told
	}
}

// waiter is a goroutine in wait.
type waiter struct {
	result chan error
	tell   func(error)
}

var waiters = sync.Pool{New: func() any {
	w := &waiter{result: make(chan error, 1)}
	w.tell = func(err error) { w.result <- err }
	return w
}}

// Release gives the event back. It must not be used afterwards; streams that wait
// for it go on waiting.
func (e *Event) Release() {
	if e.users.Add(-1) == 0 {
		e.device.events.put(e)
	}
}

// eventPool keeps the driver's events for reuse.
type eventPool struct {
	device *Device
	mu     sync.Mutex
	free   []*Event
	all    []driver.Event
}

func (p *eventPool) get(c *driver.Caller) (*Event, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		e := p.free[n-1]
		p.free = p.free[:n-1]
		e.users.Store(1)
		e.done.Store(false)
		return e, nil
	}
	handle, err := c.NewEvent()
	if err != nil {
		return nil, err
	}
	p.all = append(p.all, handle)
	e := &Event{device: p.device, handle: handle}
	e.users.Store(1)
	return e, nil
}

func (p *eventPool) put(e *Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, e)
}

func (p *eventPool) releaseAll(c *driver.Caller) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, handle := range p.all {
		err = errors.Join(err, c.DestroyEvent(handle))
	}
	p.all, p.free = nil, nil
	return err
}
