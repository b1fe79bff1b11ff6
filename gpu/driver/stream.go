package driver

// Stream is a queue of work for the device, a CUstream.
type Stream uintptr

// nonBlocking keeps a stream from being ordered against the legacy default
// stream, on which other code of the process may be working.
const nonBlocking = 1

func (c *dynamicCalls) NewStream() (Stream, error) {
	err := c.call(fnStreamCreateWithPriority, c.out(0), nonBlocking, 0)
	return Stream(c.result[0]), err
}

func (c *dynamicCalls) DestroyStream(s Stream) error { return c.call(fnStreamDestroy, uintptr(s)) }

func (c *dynamicCalls) SynchronizeStream(s Stream) error {
	return c.call(fnStreamSynchronize, uintptr(s))
}

func (c *dynamicCalls) StreamDone(s Stream) (bool, error) {
	return c.done(fnStreamQuery, uintptr(s))
}

func (c *dynamicCalls) Wait(s Stream, e Event) error {
	return c.call(fnStreamWaitEvent, uintptr(s), uintptr(e), 0)
}
