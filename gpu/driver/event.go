package driver

// Event is a mark in a stream, a CUevent.
type Event uintptr

// Flags of events. Without a time stamp an event is cheaper, and a thread that
// waits for it sleeps.
const eventBlockingSync, eventDisableTiming = 1, 2

func (c *dynamicCalls) NewEvent() (Event, error) {
	err := c.call(fnEventCreate, c.out(0), eventBlockingSync|eventDisableTiming)
	return Event(c.result[0]), err
}

func (c *dynamicCalls) DestroyEvent(e Event) error { return c.call(fnEventDestroy, uintptr(e)) }

func (c *dynamicCalls) Record(e Event, s Stream) error {
	return c.call(fnEventRecord, uintptr(e), uintptr(s))
}

func (c *dynamicCalls) EventDone(e Event) (bool, error) { return c.done(fnEventQuery, uintptr(e)) }

func (c *dynamicCalls) SynchronizeEvent(e Event) error { return c.call(fnEventSynchronize, uintptr(e)) }
