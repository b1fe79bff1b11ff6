package gpu

import (
	"fmt"
	"sync/atomic"

	"github.com/frondml/frond/gpu/driver"
)

// Pinned is a range of host memory that the device can read and write by itself. It
// is a small value, like a slice.
type Pinned struct {
	block *pinnedBlock
	bytes []byte
}

type pinnedBlock struct {
	bytes []byte
	freed atomic.Bool
}

// AllocPinned returns so many bytes of pinned memory. Pinning is slow and takes
// memory from everybody on the machine: it is for few and lasting blocks.
func (d *Device) AllocPinned(size int) (Pinned, error) {
	if size < 1 {
		return Pinned{}, fmt.Errorf("%w: %d bytes of pinned memory", ErrArgument, size)
	}
	p := &pinnedBlock{}
	err := d.do(func(c *driver.Caller) (err error) {
		if p.bytes, err = c.AllocHost(size); err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.pinned[p] = struct{}{}
		return nil
	})
	if err != nil {
		return Pinned{}, err
	}
	return Pinned{p, p.bytes}, nil
}

// FreePinned gives pinned memory back. No copy may be using it.
func (d *Device) FreePinned(p Pinned) error {
	if err := p.valid(); err != nil {
		return err
	}
	if !p.block.freed.CompareAndSwap(false, true) {
		return errPinnedFreed
	}
	return d.do(func(c *driver.Caller) error { return d.unpin(c, p.block) })
}

// unpin gives pinned memory back. What the driver does not take is left to Close.
func (d *Device) unpin(c *driver.Caller, p *pinnedBlock) error {
	if err := c.FreeHost(p.bytes); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.pinned, p)
	return nil
}

// Bytes returns the memory itself. It must not be touched after FreePinned or the
// device's Close.
func (p Pinned) Bytes() []byte { return p.bytes }

// Slice returns the bytes from low up to high. A range outside gives an invalid
// value, which every call refuses.
func (p Pinned) Slice(low, high int) Pinned {
	if low < 0 || low > high || high > len(p.bytes) {
		return Pinned{}
	}
	return Pinned{p.block, p.bytes[low:high:high]}
}

func (p Pinned) valid() error {
	if p.block == nil {
		return fmt.Errorf("%w: the pinned memory was never allocated, or sliced out of its range", ErrArgument)
	}
	if p.block.freed.Load() {
		return errPinnedFreed
	}
	return nil
}

var errPinnedFreed = fmt.Errorf("pinned memory: %w", ErrClosed)
