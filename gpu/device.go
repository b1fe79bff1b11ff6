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
	gate    gate

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
	library, err := driver.OpenWith(options.Binding, options.Library)
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
	d.gate.drained = make(chan struct{})
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
	c, err := d.enter()
	if err != nil {
		return err
	}
	defer d.leave(c)
	return d.noted(f(c))
}

// enter begins calls that belong to no stream. If it succeeds, leave must end them.
func (d *Device) enter() (*driver.Caller, error) {
	if err := d.begin(); err != nil {
		return nil, err
	}
	c := d.callers.Get().(*driver.Caller)
	if err := c.Enter(d.context); err != nil {
		d.leave(c)
		return nil, d.noted(err)
	}
	return c, nil
}

func (d *Device) leave(c *driver.Caller) {
	c.Leave()
	d.callers.Put(c)
	d.end()
}

// noted looks for failures after which the device is lost, and keeps the first.
func (d *Device) noted(err error) error {
	failed, ok := errors.AsType[*driver.Error](err)
	if !ok || !failed.Status.Sticky() {
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
