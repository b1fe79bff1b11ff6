package gpu

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/frondml/frond/gpu/driver"
)

// Info describes a device.
type Info struct {
	Name            string
	Driver          driver.Version
	Capability      int   // 90 for compute capability 9.0
	Memory          int64 // bytes
	Multiprocessors int
}

// Device is an open CUDA device. It is safe for concurrent use.
type Device struct {
	options Options
	driver  *driver.Driver
	number  driver.Device
	context driver.Context
	info    Info
	failure atomic.Pointer[LostError]
	closing atomic.Bool // by the one call of Close that does the work
	closed  atomic.Bool

	callers sync.Pool // of *driver.Caller, for calls that belong to no stream
	memory  allocator
	events  eventPool
	watch   watcher

	mu      sync.Mutex // guards what follows
	streams []*Stream  // by number; nil where one was closed
	issued  []uint64   // operations of closed streams, by number
	done    clock      // operations known to be finished
	modules map[*Module]struct{}
	pinned  map[*pinnedBlock]struct{}
}

// Open opens a device. Nothing but a driver is needed on the machine; an error says
// what is missing: [ErrNoDriver], [ErrDriverTooOld] or [ErrNoDevice].
func Open(options Options) (*Device, error) {
	d, err := open(options.withDefaults())
	if err != nil {
		return nil, fmt.Errorf("gpu: %w", err)
	}
	return d, nil
}

func open(options Options) (*Device, error) {
	if options.Memory < 0 {
		return nil, fmt.Errorf("%w: Options.Memory is %d, want 0 or more", ErrArgument, options.Memory)
	}
	library, err := driver.Open(options.Library)
	if err != nil {
		return nil, err
	}
	d := &Device{
		options: options,
		driver:  library,
		modules: map[*Module]struct{}{},
		pinned:  map[*pinnedBlock]struct{}{},
	}
	d.callers.New = func() any { return library.NewCaller() }
	d.memory.device, d.events.device, d.watch.device = d, d, d
	d.watch.wake = make(chan struct{}, 1)
	c := library.NewCaller()
	if d.number, err = c.Device(options.Device); err != nil {
		return nil, err
	}
	if err := d.describe(c); err != nil {
		return nil, err
	}
	if d.context, err = c.RetainPrimaryContext(d.number); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Device) describe(c *driver.Caller) error {
	name, err := c.DeviceName(d.number)
	memory, err2 := c.DeviceMemory(d.number)
	major, err3 := c.DeviceAttribute(d.number, driver.ComputeCapabilityMajor)
	minor, err4 := c.DeviceAttribute(d.number, driver.ComputeCapabilityMinor)
	count, err5 := c.DeviceAttribute(d.number, driver.MultiprocessorCount)
	d.info = Info{Name: name, Driver: d.driver.Version(), Capability: 10*major + minor, Memory: memory, Multiprocessors: count}
	return errors.Join(err, err2, err3, err4, err5)
}

// Info describes the device.
func (d *Device) Info() Info { return d.info }

// do makes calls that belong to no stream.
func (d *Device) do(f func(*driver.Caller) error) error {
	if err := d.usable(); err != nil {
		return err
	}
	c := d.callers.Get().(*driver.Caller)
	defer d.callers.Put(c)
	defer c.Leave()
	err := c.Enter(d.context)
	if err == nil {
		err = f(c)
	}
	return d.noted(err)
}

// usable returns why the device cannot be used, if it cannot.
func (d *Device) usable() error {
	if d.closed.Load() {
		return fmt.Errorf("device: %w", ErrClosed)
	}
	if lost := d.failure.Load(); lost != nil {
		return lost
	}
	return nil
}

// noted looks for failures after which the device is lost, and keeps the first.
func (d *Device) noted(err error) error {
	var failed *driver.Error
	if !errors.As(err, &failed) || !failed.Status.Sticky() {
		return err
	}
	d.failure.CompareAndSwap(nil, &LostError{Err: err, Recent: d.recent()})
	return d.failure.Load()
}

// recent describes what each stream was given last.
func (d *Device) recent() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var recent []string
	for _, s := range d.streams {
		if s != nil {
			recent = append(recent, s.history.describe(s.id))
		}
	}
	return recent
}

// Synchronize blocks the thread until all work on the device is done. It is for the
// end of programs and of measurements; events are the way to wait while working.
func (d *Device) Synchronize() error {
	marks := d.marks()
	if err := d.do((*driver.Caller).SynchronizeContext); err != nil {
		return err
	}
	d.finished(marks)
	return nil
}

// marks returns how far each stream has been issued.
func (d *Device) marks() clock {
	d.mu.Lock()
	defer d.mu.Unlock()
	marks := make(clock, len(d.streams))
	for i, s := range d.streams {
		marks[i] = d.issued[i]
		if s != nil {
			marks[i] = s.seq.Load()
		}
	}
	return marks
}

// finished notes that the operations below a clock are done.
func (d *Device) finished(c clock) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done.join(c)
}

// isDone reports whether an operation is known to be finished.
func (d *Device) isDone(at stamp) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.done.covers(at)
}

// Close waits for all work and releases everything that the device holds: streams,
// buffers, events, modules, pinned memory. Nobody may be using them. Of a lost
// device it gives up what cannot be released, and returns why it was lost.
func (d *Device) Close() error {
	if !d.closing.CompareAndSwap(false, true) {
		return nil
	}
	err := d.Synchronize()
	d.watch.wait()
	for _, s := range d.openStreams() {
		err = first(err, s.Close())
	}
	err = first(err, d.releaseAll())
	d.closed.Store(true)
	return first(err, d.driver.NewCaller().ReleasePrimaryContext(d.number))
}

// first returns the first of two errors: behind it others follow that say no more.
func first(err, next error) error {
	if err != nil {
		return err
	}
	return next
}

func (d *Device) openStreams() []*Stream {
	d.mu.Lock()
	defer d.mu.Unlock()
	var open []*Stream
	for _, s := range d.streams {
		if s != nil {
			open = append(open, s)
		}
	}
	return open
}

func (d *Device) releaseAll() error {
	if d.failure.Load() != nil {
		return nil // already reported, and nothing can be released
	}
	return d.do(func(c *driver.Caller) error {
		err := errors.Join(d.memory.releaseAll(c), d.events.releaseAll(c))
		d.mu.Lock()
		defer d.mu.Unlock()
		for m := range d.modules {
			err = errors.Join(err, c.UnloadModule(m.handle))
		}
		for p := range d.pinned {
			err = errors.Join(err, c.FreeHost(p.bytes))
		}
		clear(d.modules)
		clear(d.pinned)
		return err
	})
}
