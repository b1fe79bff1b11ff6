package driver

// Context is a device's state as one process sees it, a CUcontext.
type Context uintptr

// scheduleBlockingSync lets a thread that waits for the device sleep. The default
// is to spin, which on a machine whose cores are busy feeding the device is the
// wrong thing to do with a core.
const scheduleBlockingSync = 4

// RetainPrimaryContext returns the device's primary context, which the process
// shares with libraries such as cuBLAS, and keeps it alive. Contexts other than
// the primary one are not offered: two on one device take turns.
func (c *Caller) RetainPrimaryContext(d Device) (Context, error) {
	// Where other code of the process has the context in use, it stays as it is.
	s := c.status(fnPrimaryCtxSetFlags, uintptr(d), scheduleBlockingSync)
	if s != statusSuccess && s != statusPrimaryContextActive {
		return 0, &Error{Call: symbols[fnPrimaryCtxSetFlags], Status: s}
	}
	err := c.call(fnPrimaryCtxRetain, c.out(0), uintptr(d))
	return Context(c.result[0]), err
}

// ReleasePrimaryContext undoes one RetainPrimaryContext. The last one destroys
// what the context still owns.
func (c *Caller) ReleasePrimaryContext(d Device) error {
	return c.call(fnPrimaryCtxRelease, uintptr(d))
}

// SynchronizeContext blocks the thread until all work of the context is done.
func (c *Caller) SynchronizeContext() error { return c.call(fnCtxSynchronize) }
