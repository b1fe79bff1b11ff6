package driver

import (
	"fmt"
	"runtime"
)

// Caller makes driver calls, the [Calls] of a binding. It belongs to one goroutine at
// a time.
type Caller struct {
	Calls
	driver *Driver
	depth  int // of Enter
}

// NewCaller returns a Caller.
func (d *Driver) NewCaller() *Caller { return &Caller{Calls: d.library.NewCalls(), driver: d} }

// Driver returns the driver that is called.
func (c *Caller) Driver() *Driver { return c.driver }

// Enter binds the goroutine to its operating system thread and makes a context
// current there. Enters nest; the inner ones cost nothing. The caller must Leave
// also when Enter fails.
func (c *Caller) Enter(ctx Context) error {
	c.depth++
	if c.depth > 1 {
		return nil
	}
	runtime.LockOSThread()
	return c.SetContext(ctx)
}

// Leave undoes one Enter. The context stays current on the thread, which harms
// nobody: whoever needs one sets it.
func (c *Caller) Leave() {
	c.depth--
	if c.depth == 0 {
		runtime.UnlockOSThread()
	}
}

// Device returns device number ordinal, counted from 0. There being no such device is
// an [ErrNoDevice].
func (c *Caller) Device(ordinal int) (Device, error) {
	count, err := c.DeviceCount()
	if err != nil {
		return 0, err
	}
	if ordinal < 0 || ordinal >= count {
		return 0, fmt.Errorf("%w: number %d of %d", ErrNoDevice, ordinal, count)
	}
	return c.Calls.Device(ordinal)
}

// DeclareAccess says that the next launch on this thread may read, or read and
// write, a range of device memory. A launch for which something was declared may
// touch nothing else. It does nothing unless the library [Driver.ChecksAccess].
func (c *Caller) DeclareAccess(p Pointer, size int64, write bool) {
	if c.driver.checksAccess {
		c.Calls.DeclareAccess(p, size, write)
	}
}
