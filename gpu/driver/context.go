package driver

// Context is a device's state as one process sees it, a CUcontext.
type Context uintptr

// scheduleBlockingSync lets a thread that waits for the device sleep. The default
// is to spin, which on a machine whose cores are busy feeding the device is the
// wrong thing to do with a core.
const scheduleBlockingSync = 4

func (c *dynamicCalls) RetainPrimaryContext(d Device) (Context, error) {
	// Where other code of the process has the context in use, it stays as it is.
	s := c.status(fnPrimaryCtxSetFlags, uintptr(d), scheduleBlockingSync)
	if s != StatusSuccess && s != StatusPrimaryContextActive {
		return 0, &Error{Call: symbols[fnPrimaryCtxSetFlags], Status: s}
	}
	err := c.call(fnPrimaryCtxRetain, c.out(0), uintptr(d))
	return Context(c.result[0]), err
}

func (c *dynamicCalls) ReleasePrimaryContext(d Device) error {
	return c.call(fnPrimaryCtxRelease, uintptr(d))
}

func (c *dynamicCalls) SetContext(ctx Context) error { return c.call(fnCtxSetCurrent, uintptr(ctx)) }

func (c *dynamicCalls) SynchronizeContext() error { return c.call(fnCtxSynchronize) }
