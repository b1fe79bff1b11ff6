package gpu

import (
	"errors"
	"fmt"
	"sync"

	"github.com/frondml/frond/gpu/driver"
)

// gate lets calls of the driver in until the device is closed. Calls hold the lock for
// reading and never wait for it; Close locks it for good. So a call costs two atomic
// operations, and none comes after the context was released.
type gate struct {
	sync.RWMutex
	closing sync.Once
	drained chan struct{} // closed when Close has waited for all work
}

var errDeviceClosed = fmt.Errorf("device: %w", ErrClosed)

// begin begins calls of the driver, unless the device cannot be used. If it succeeds,
// end must end them. Begins nest: a call within a call may fail where the outer one
// did not.
func (d *Device) begin() error {
	if !d.gate.TryRLock() {
		return errDeviceClosed
	}
	if lost := d.failure.Load(); lost != nil {
		d.gate.RUnlock()
		return lost
	}
	return nil
}

func (d *Device) end() { d.gate.RUnlock() }

// Close waits for all work and releases everything that the device holds: streams,
// buffers, events, modules, pinned memory. The device may be in use: calls in progress
// end first, all others fail with [ErrClosed], and whoever waits for an event is told
// once the device is idle, perhaps a moment after Close has returned. Only memory that
// the program itself touches, [Pinned.Bytes], must not be in use. Of a lost device Close
// gives up what cannot be released, and returns why it was lost. Closing again waits for
// the first Close and returns nil.
func (d *Device) Close() (err error) {
	d.gate.closing.Do(func() { err = d.close() })
	return err
}

func (d *Device) close() error {
	d.gate.Lock()
	c := d.driver.NewCaller()
	defer c.Leave()
	err := d.noted(c.Enter(d.context))
	entered := err == nil
	if entered {
		err = d.drain(c)
	}
	close(d.gate.drained)
	if entered && d.failure.Load() == nil {
		err = first(err, d.noted(d.releaseAll(c)))
	}
	d.forgetAll()
	return first(err, c.ReleasePrimaryContext(d.number))
}

// drain waits for all work.
func (d *Device) drain(c *driver.Caller) error {
	if lost := d.failure.Load(); lost != nil {
		return lost
	}
	marks := d.marks()
	if err := c.SynchronizeContext(); err != nil {
		return d.noted(err)
	}
	d.finished(marks)
	return nil
}

// first returns the first of two errors: behind it others follow that say no more.
func first(err, next error) error {
	if err != nil {
		return err
	}
	return next
}

// releaseAll returns everything to the driver.
func (d *Device) releaseAll(c *driver.Caller) error {
	err := errors.Join(d.memory.releaseAll(c), d.events.releaseAll(c))
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.streams {
		if s != nil {
			err = errors.Join(err, c.DestroyStream(s.handle))
		}
	}
	for m := range d.modules {
		err = errors.Join(err, c.UnloadModule(m.handle))
	}
	for p := range d.pinned {
		err = errors.Join(err, c.FreeHost(p.bytes))
	}
	return err
}

// forgetAll drops what was released or, of a lost device, given up.
func (d *Device) forgetAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.streams {
		if s != nil {
			s.parameters.Close()
		}
	}
	clear(d.streams)
	clear(d.modules)
	clear(d.pinned)
}
