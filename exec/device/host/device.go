package host

import (
	"errors"
	"fmt"
	"sync"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/graph"
	"github.com/frondml/frond/internal/kernel"
)

// Options are how a device behaves. The zero Options are a device without faults.
type Options struct {
	// Limit is how many words may be allocated at a time; 0 means 1<<28, a gibibyte.
	Limit int
	// Poison fills memory with NaN when it is allocated: whoever reads what nobody
	// wrote sees it.
	Poison bool
	// Check makes it an error to use a buffer on a stream that is not ordered behind
	// the work of another that wrote it, or to write where another's reading is not
	// ordered before.
	Check bool
	// Without says which operators have no kernel; nil means that all have one.
	Without func(graph.Op) bool
	// Failure is called before every operation but Free and Close, with its name, as
	// "Launch add". When it returns an error the operation fails with it. Unless that
	// wraps device.ErrMemory the device is lost. It is called with nothing locked, by
	// several goroutines at once if the device is used so.
	Failure func(what string) error
	// SlowFetch is how often a Fetch is not done yet when it is asked.
	SlowFetch int
}

const defaultLimit = 1 << 28

// Device computes on the processor. It is safe for concurrent use.
type Device struct {
	options Options
	limit   int

	mu   sync.Mutex
	held Held
	lost error
	// Of the check of order: the last operation of each stream, by number, the numbers
	// of closed streams, and what the host knows to be done.
	last clock
	idle []int
	done clock
}

var _ device.Device = (*Device)(nil)

// Held counts what has been made and not given back.
type Held struct {
	Words, Buffers, Streams, Events, Fetches int
}

// New returns a device.
func New(o Options) *Device {
	d := &Device{options: o, limit: o.Limit}
	if d.limit == 0 {
		d.limit = defaultLimit
	}
	return d
}

// Name implements device.Device.
func (d *Device) Name() string { return "host (" + kernel.Features() + ")" }

// Held returns what has been made and not given back.
func (d *Device) Held() Held {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.held
}

// NewStream implements device.Device.
func (d *Device) NewStream() (device.Stream, error) {
	if err := d.mayFail("NewStream"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &Stream{device: d}
	if n := len(d.idle); n > 0 {
		s.number, d.idle = d.idle[n-1], d.idle[:n-1]
	} else {
		s.number = len(d.last)
		d.last.set(s.number, 0)
	}
	s.clock.set(s.number, d.last[s.number])
	d.held.Streams++
	return s, nil
}

// mayFail lets an operation fail if the options say so or the device is lost.
func (d *Device) mayFail(what string) error {
	d.mu.Lock()
	lost := d.lost
	d.mu.Unlock()
	if lost != nil {
		return lost
	}
	if d.options.Failure == nil {
		return nil
	}
	err := d.options.Failure(what)
	if err == nil {
		return nil
	}
	if !errors.Is(err, device.ErrMemory) {
		err = fmt.Errorf("%w: %s: %w", device.ErrLost, what, err)
		d.mu.Lock()
		if d.lost == nil {
			d.lost = err
		}
		d.mu.Unlock()
	}
	return err
}
