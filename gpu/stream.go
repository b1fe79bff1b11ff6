package gpu

import (
	"errors"
	"sync/atomic"

	"github.com/frondml/frond/gpu/driver"
)

// Stream is a queue of work for the device. It is for one goroutine at a time.
type Stream struct {
	device     *Device
	id         int
	handle     driver.Stream
	caller     *driver.Caller
	parameters *driver.Parameters
	staging    staging
	history    history

	busy   atomic.Bool
	closed bool
	seq    atomic.Uint64 // operations issued; others read it
	clock  clock         // which operations of all streams this one is ordered behind
}

// NewStream returns a stream that is ordered against no other.
func (d *Device) NewStream() (*Stream, error) {
	s := &Stream{device: d, caller: d.driver.NewCaller()}
	err := d.do(func(c *driver.Caller) error {
		var err error
		s.handle, err = c.NewStream()
		return err
	})
	if err != nil {
		return nil, err
	}
	s.parameters = driver.NewParameters()
	s.staging.stream = s
	d.mu.Lock()
	defer d.mu.Unlock()
	// The number of a closed stream is used again, but its operations are not
	// counted again: stamps stay unique, and clocks as short as they can be.
	for s.id < len(d.streams) && d.streams[s.id] != nil {
		s.id++
	}
	if s.id == len(d.streams) {
		d.streams = append(d.streams, nil)
		d.issued = append(d.issued, 0)
	}
	d.streams[s.id] = s
	s.seq.Store(d.issued[s.id])
	s.clock.join(d.done)
	s.clock.set(s.id, d.issued[s.id])
	return s, nil
}

// ID returns the stream's number, unique among the device's open streams.
func (s *Stream) ID() int { return s.id }

// Device returns the stream's device.
func (s *Stream) Device() *Device { return s.device }

// Do calls a function that issues work on the stream. Every call on a stream binds
// the goroutine to a thread and makes the context current there; within Do this
// happens once. The function should only issue work, not wait.
func (s *Stream) Do(f func() error) error {
	if err := s.enter(&opDo); err != nil {
		return err
	}
	s.busy.Store(false) // the function's calls take turns
	defer s.caller.Leave()
	return f()
}

// enter begins a call. If it succeeds, leave must end it.
func (s *Stream) enter(op *operation) error {
	if !s.busy.CompareAndSwap(false, true) {
		return s.failed(op, ErrBusy)
	}
	err := s.device.usable()
	if err == nil && s.closed {
		err = ErrClosed
	}
	if err == nil {
		if err = s.caller.Enter(s.device.context); err == nil {
			return nil
		}
		s.caller.Leave()
	}
	s.busy.Store(false)
	return s.failed(op, s.device.noted(err))
}

func (s *Stream) leave() {
	s.caller.Leave()
	s.busy.Store(false)
}

// issued counts an operation that the driver has accepted and returns its stamp.
func (s *Stream) issued(op *operation) stamp {
	at := stamp{s.id, s.seq.Add(1)}
	s.clock.set(s.id, at.seq)
	s.history.add(op)
	return at
}

// failed wraps an error of a call on the stream.
func (s *Stream) failed(op *operation, err error) error {
	if err == nil {
		return nil
	}
	return &StreamError{Stream: s.id, Op: op.name, Err: err}
}

// Close waits for the stream's work, which blocks the thread, and releases the
// stream. Buffers that were allocated on it live on.
func (s *Stream) Close() error {
	if s.closed {
		return nil
	}
	err := s.enter(&opClose)
	if errors.Is(err, ErrBusy) {
		return err
	}
	if err == nil {
		err = s.failed(&opClose, s.release())
		s.leave()
	}
	s.closed = true
	s.parameters.Close()
	d := s.device
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams[s.id] = nil
	d.issued[s.id] = s.seq.Load()
	d.done.set(s.id, s.seq.Load())
	return err
}

// release gives back what the driver holds for the stream.
func (s *Stream) release() error {
	if err := s.caller.SynchronizeStream(s.handle); err != nil {
		return s.device.noted(err)
	}
	return errors.Join(s.staging.release(s.caller), s.caller.DestroyStream(s.handle))
}
