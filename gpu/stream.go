package gpu

import (
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
	s.staging.stream = s
	err := d.do(func(c *driver.Caller) (err error) {
		if s.handle, err = c.NewStream(); err != nil {
			return err
		}
		s.parameters = driver.NewParameters()
		d.register(s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// register gives a stream its number.
func (d *Device) register(s *Stream) {
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
}

// unregister makes a stream's number free.
func (d *Device) unregister(s *Stream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams[s.id] = nil
	d.issued[s.id] = s.seq.Load()
}

// ID returns the stream's number, unique among the device's open streams.
func (s *Stream) ID() int { return s.id }

// Device returns the stream's device.
func (s *Stream) Device() *Device { return s.device }

// Do calls a function that issues work on the stream. Every call on a stream binds
// the goroutine to a thread and makes the context current there; within Do this
// happens once. The function should only issue work, not wait. What another goroutine
// calls on the stream meanwhile is a mistake that [ErrBusy] does not always tell.
func (s *Stream) Do(f func() error) error {
	if err := s.enter(&opDo); err != nil {
		return err
	}
	// The function's calls take turns, and the device may be closed between them.
	s.device.end()
	s.busy.Store(false)
	defer s.caller.Leave()
	return f()
}

// enter begins a call. If it succeeds, leave must end it.
func (s *Stream) enter(op *operation) error {
	if !s.busy.CompareAndSwap(false, true) {
		return s.failed(op, ErrBusy)
	}
	err := s.enterDevice()
	if err != nil {
		s.busy.Store(false)
	}
	return s.failed(op, err)
}

func (s *Stream) enterDevice() error {
	if s.closed {
		return ErrClosed
	}
	if err := s.device.begin(); err != nil {
		return err
	}
	err := s.caller.Enter(s.device.context)
	if err != nil {
		s.caller.Leave()
		err = s.device.noted(err)
		s.device.end()
	}
	return err
}

func (s *Stream) leave() {
	s.caller.Leave()
	s.device.end()
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

// synchronize blocks the thread until the stream's work is done.
func (s *Stream) synchronize() error {
	if err := s.enter(&opWait); err != nil {
		return err
	}
	defer s.leave()
	return s.failed(&opWait, s.device.noted(s.caller.SynchronizeStream(s.handle)))
}

// Close waits for the stream's work, which blocks the thread, and releases the
// stream. Buffers that were allocated on it live on.
func (s *Stream) Close() error {
	if !s.busy.CompareAndSwap(false, true) {
		return s.failed(&opClose, ErrBusy)
	}
	defer s.busy.Store(false)
	if !s.staging.busy.CompareAndSwap(false, true) {
		return s.failed(&opClose, ErrBusy)
	}
	defer s.staging.busy.Store(false)
	if s.closed {
		return nil
	}
	s.closed = true
	return s.failed(&opClose, s.close())
}

func (s *Stream) close() error {
	d := s.device
	if !d.gate.TryRLock() {
		return nil // the device's Close releases all streams
	}
	defer d.end()
	if lost := d.failure.Load(); lost != nil {
		return lost
	}
	defer s.caller.Leave()
	if err := s.caller.Enter(d.context); err != nil {
		return d.noted(err)
	}
	return d.noted(s.release(s.caller))
}

// release gives back what the driver holds for the stream. What it does not take is
// left to the device's Close.
func (s *Stream) release(c *driver.Caller) error {
	d := s.device
	err := c.SynchronizeStream(s.handle)
	if err == nil {
		d.finished(s.clock)
		err = s.staging.release(c)
	}
	if failed := c.DestroyStream(s.handle); failed != nil {
		return first(err, failed)
	}
	d.unregister(s)
	s.parameters.Close()
	return err
}
