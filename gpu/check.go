package gpu

// access is a use of a range of a block, for the check of order.
type access struct {
	low, high int64
	write     bool
	at        stamp
	op        *operation
}

// maxAccesses bounds how many accesses to a block are compared. Those that are done
// or behind which a later one is known to run are dropped first; of a program that
// still exceeds this the oldest accesses are no longer checked.
const maxAccesses = 1024

// check compares an access that is about to be issued with those before it.
func (s *Stream) check(op *operation, b Buffer, write bool) error {
	b.block.mu.Lock()
	defer b.block.mu.Unlock()
	for _, a := range b.block.accesses {
		if a.high <= b.offset || b.offset+b.size <= a.low || !write && !a.write || s.behind(a.at) {
			continue
		}
		return &RaceError{
			Op: op.name, Stream: s.id, Write: write,
			OtherOp: a.op.name, OtherStream: a.at.stream, OtherWrite: a.write,
			Low: max(a.low, b.offset), High: min(a.high, b.offset+b.size),
		}
	}
	return nil
}

// note remembers an access that was issued.
func (s *Stream) note(op *operation, b Buffer, write bool, at stamp) {
	b.block.mu.Lock()
	defer b.block.mu.Unlock()
	low, high := b.offset, b.offset+b.size
	kept := b.block.accesses[:0]
	for _, a := range b.block.accesses {
		// What is ordered before this access within its range need not be compared
		// again: whoever is behind this access is behind that one too. A read says
		// so about other reads only.
		covered := low <= a.low && a.high <= high && (write || !a.write) && s.clock.covers(a.at)
		if a.at == at || !covered && !s.device.isDone(a.at) {
			kept = append(kept, a)
		}
	}
	kept = append(kept, access{low, high, write, at, op})
	if len(kept) > maxAccesses {
		kept = kept[:copy(kept, kept[1:])]
	}
	b.block.accesses = kept
}
