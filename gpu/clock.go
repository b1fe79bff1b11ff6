package gpu

// stamp is an operation: the seq-th of a stream, counted from 1. The zero stamp
// comes before everything.
type stamp struct {
	stream int
	seq    uint64
}

// clock is a vector clock: element i says up to which operation of stream i the
// owner is ordered behind. Elements beyond the end are zero.
type clock []uint64

func (c clock) at(stream int) uint64 {
	if stream < len(c) {
		return c[stream]
	}
	return 0
}

// covers reports whether the owner is ordered behind an operation.
func (c clock) covers(s stamp) bool { return c.at(s.stream) >= s.seq }

// set raises one element.
func (c *clock) set(stream int, seq uint64) {
	for len(*c) <= stream {
		*c = append(*c, 0)
	}
	(*c)[stream] = max((*c)[stream], seq)
}

// join raises all elements to those of another clock.
func (c *clock) join(other clock) {
	for stream, seq := range other {
		c.set(stream, seq)
	}
}

// assign makes a clock equal to another, in its own memory.
func (c *clock) assign(other clock) { *c = append((*c)[:0], other...) }
