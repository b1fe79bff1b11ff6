package driver

import (
	"runtime"
	"unsafe"
)

// maxArguments is the length of the longest argument list, that of a launch.
const maxArguments = 11

// Caller makes driver calls. It holds their arguments and results, so that calls
// do not allocate, and belongs to one goroutine at a time.
type Caller struct {
	driver    *Driver
	arguments [maxArguments]uintptr
	result    [2]uint64 // where calls put what they return
	depth     int       // of Enter
}

// NewCaller returns a Caller.
func (d *Driver) NewCaller() *Caller { return &Caller{driver: d} }

// Driver returns the driver that is called.
func (c *Caller) Driver() *Driver { return c.driver }

// status makes a call. Arguments that are addresses of Go memory must point to the
// heap and stay reachable until it returns.
func (c *Caller) status(f function, arguments ...uintptr) Status {
	n := copy(c.arguments[:], arguments)
	return Status(uint32(invoke(c.driver.entries[f], c.arguments[:n])))
}

// call makes a call and turns its status into an error.
func (c *Caller) call(f function, arguments ...uintptr) error {
	if s := c.status(f, arguments...); s != statusSuccess {
		return &Error{Call: symbols[f], Status: s}
	}
	return nil
}

// out returns the address at which a call leaves result i. A Caller lies on the
// heap, for its address is given away here.
func (c *Caller) out(i int) uintptr {
	c.result[i] = 0
	return uintptr(unsafe.Pointer(&c.result[i]))
}

// int32Result returns result i of a call that wrote a C int.
func (c *Caller) int32Result(i int) int { return int(*(*int32)(unsafe.Pointer(&c.result[i]))) }

// Enter binds the goroutine to its operating system thread and makes a context
// current there. Enters nest; the inner ones cost nothing. The caller must Leave
// also when Enter fails.
func (c *Caller) Enter(ctx Context) error {
	c.depth++
	if c.depth > 1 {
		return nil
	}
	runtime.LockOSThread()
	return c.call(fnCtxSetCurrent, uintptr(ctx))
}

// Leave undoes one Enter. The context stays current on the thread, which harms
// nobody: whoever needs one sets it.
func (c *Caller) Leave() {
	c.depth--
	if c.depth == 0 {
		runtime.UnlockOSThread()
	}
}

func (c *Caller) driverVersion() (Version, error) {
	err := c.call(fnDriverGetVersion, c.out(0))
	return Version(c.int32Result(0)), err
}

func (c *Caller) init() error { return c.call(fnInit, 0) }
