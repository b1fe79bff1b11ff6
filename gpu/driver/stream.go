package driver

// Stream is a queue of work for the device, a CUstream.
type Stream uintptr

// nonBlocking keeps a stream from being ordered against the legacy default
// stream, on which other code of the process may be working.
const nonBlocking = 1

// NewStream returns a stream that is ordered against no other.
func (c *Caller) NewStream() (Stream, error) {
	err := c.call(fnStreamCreateWithPriority, c.out(0), nonBlocking, 0)
	return Stream(c.result[0]), err
}

// DestroyStream gives a stream back. Work in it is still finished.
func (c *Caller) DestroyStream(s Stream) error { return c.call(fnStreamDestroy, uintptr(s)) }

// SynchronizeStream blocks the thread until all work of a stream is done.
func (c *Caller) SynchronizeStream(s Stream) error { return c.call(fnStreamSynchronize, uintptr(s)) }

// StreamDone reports whether all work of a stream is done.
func (c *Caller) StreamDone(s Stream) (bool, error) {
	return c.done(fnStreamQuery, uintptr(s))
}

// Wait lets later work of a stream wait until an event's record has been reached.
// An event that was never recorded is not waited for.
func (c *Caller) Wait(s Stream, e Event) error {
	return c.call(fnStreamWaitEvent, uintptr(s), uintptr(e), 0)
}

// done makes a call that asks whether something is finished.
func (c *Caller) done(f function, handle uintptr) (bool, error) {
	switch s := c.status(f, handle); s {
	case statusSuccess:
		return true, nil
	case statusNotReady:
		return false, nil
	default:
		return false, &Error{Call: symbols[f], Status: s}
	}
}
