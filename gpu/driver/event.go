package driver

// Event is a mark in a stream, a CUevent.
type Event uintptr

// Flags of events. Without a time stamp an event is cheaper, and a thread that
// waits for it sleeps.
const eventBlockingSync, eventDisableTiming = 1, 2

// NewEvent returns an event that nothing waits for yet.
func (c *Caller) NewEvent() (Event, error) {
	err := c.call(fnEventCreate, c.out(0), eventBlockingSync|eventDisableTiming)
	return Event(c.result[0]), err
}

// DestroyEvent gives an event back. Streams that wait for it go on waiting.
func (c *Caller) DestroyEvent(e Event) error { return c.call(fnEventDestroy, uintptr(e)) }

// Record puts an event at the present end of a stream. A record replaces the one
// before it.
func (c *Caller) Record(e Event, s Stream) error {
	return c.call(fnEventRecord, uintptr(e), uintptr(s))
}

// EventDone reports whether the work before an event's last record is done.
func (c *Caller) EventDone(e Event) (bool, error) { return c.done(fnEventQuery, uintptr(e)) }

// SynchronizeEvent blocks the thread until the work before an event's last record
// is done.
func (c *Caller) SynchronizeEvent(e Event) error { return c.call(fnEventSynchronize, uintptr(e)) }
