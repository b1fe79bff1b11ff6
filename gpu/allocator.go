package gpu

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"github.com/frondml/frond/gpu/driver"
)

// allocator keeps freed memory for reuse, because asking the driver waits for the
// device. Blocks come in classes of size. A block that was freed on one stream goes
// to another only if that is ordered behind the point of freeing.
type allocator struct {
	device *Device
	mu     sync.Mutex
	free   map[int64][]*block // by size, freed last at the end
	blocks map[*block]struct{}
	inUse  int64 // bytes in buffers, rounded up to classes
	cached int64 // bytes in free
	asks   int64 // allocations by the driver
	total  int64 // allocations
}

const (
	minBlock = 512
	// classSteps is the number of classes per power of two: at most an eighth of a
	// block is unused.
	classSteps = 8
	// maxSearch bounds the search for a block that a stream may use.
	maxSearch = 32
	maxBuffer = math.MaxInt64 / 2
)

// classSize rounds up to the size of a class.
func classSize(n int64) int64 {
	n = max(n, minBlock)
	step := int64(1) << (bits.Len64(uint64(n-1)) - 1) / classSteps
	return (n + step - 1) / step * step
}

// blockSize is the size of the block for a buffer. With Options.Check there are no
// classes, so that tools which watch the bounds of blocks see those of buffers.
func (d *Device) blockSize(n int64) int64 {
	if d.options.Check {
		return max(4, (n+3)/4*4) // whole words, to be filled
	}
	return classSize(n)
}

// Alloc returns a buffer of so many bytes, aligned for every type, for work behind
// this point of the stream. Its contents are undefined. An error is a [MemoryError]
// if there is no room.
func (s *Stream) Alloc(size int64) (Buffer, error) {
	if err := s.enter(&opAlloc); err != nil {
		return Buffer{}, err
	}
	defer s.leave()
	if size < 0 || size > maxBuffer {
		return Buffer{}, s.failed(&opAlloc, fmt.Errorf("%w: %d bytes", ErrArgument, size))
	}
	b, err := s.device.memory.get(s, s.device.blockSize(size))
	if err != nil {
		return Buffer{}, s.failed(&opAlloc, s.device.noted(err))
	}
	b.asked = size
	buffer := Buffer{block: b, generation: b.generation.Load(), size: size}
	if s.device.options.Check {
		if err := s.poison(buffer); err != nil {
			b.generation.Add(1)
			s.device.memory.put(b, stamp{s.id, s.seq.Load()})
			return Buffer{}, s.failed(&opAlloc, err)
		}
	}
	return buffer, nil
}

// poison fills a buffer with NaNs.
func (s *Stream) poison(b Buffer) error {
	words := b.block.size / 4
	if err := s.caller.Fill(b.block.base, math.MaxUint32, words, s.handle); err != nil {
		return s.device.noted(err)
	}
	at := s.issued(&opAlloc)
	b.block.mu.Lock()
	defer b.block.mu.Unlock()
	b.block.accesses = append(b.block.accesses[:0], access{0, b.block.size, true, at, &opAlloc})
	return nil
}

// Free gives a buffer back, behind this point of the stream. Work on other streams
// that uses it must be ordered before.
func (s *Stream) Free(b Buffer) error {
	if err := s.enter(&opFree); err != nil {
		return err
	}
	defer s.leave()
	if err := b.valid(); err != nil {
		return s.failed(&opFree, err)
	}
	if b.offset != 0 || b.size != b.block.asked {
		return s.failed(&opFree, fmt.Errorf("%w: a slice of a buffer cannot be freed", ErrArgument))
	}
	if s.device.options.Check {
		if err := s.check(&opFree, b, true); err != nil {
			return s.failed(&opFree, err)
		}
	}
	if !b.block.generation.CompareAndSwap(b.generation, b.generation+1) {
		return s.failed(&opFree, ErrClosed)
	}
	s.device.memory.put(b.block, stamp{s.id, s.seq.Load()})
	return nil
}

// get finds or makes a block of the size of a class.
func (a *allocator) get(s *Stream, size int64) (*block, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.total++
	b := a.reuse(s, size)
	if b == nil && a.fits(size) {
		var refused error
		if b = a.ask(s.caller, size, &refused); b == nil && !errors.Is(refused, ErrMemory) {
			return nil, refused
		}
	}
	if b != nil {
		return b, nil
	}
	// There is no room. Once the device has done all its work any free block may be
	// used or returned to the driver.
	if err := a.device.Synchronize(); err != nil {
		return nil, err
	}
	if b := a.reuse(s, size); b != nil {
		return b, nil
	}
	return a.makeRoom(s.caller, size)
}

// reuse takes a free block that the stream may use.
func (a *allocator) reuse(s *Stream, size int64) *block {
	list := a.free[size]
	for i := len(list) - 1; i >= max(0, len(list)-maxSearch); i-- {
		b := list[i]
		if !s.behind(b.freed) {
			continue
		}
		a.free[size] = append(list[:i], list[i+1:]...)
		a.cached -= size
		a.inUse += size
		return b
	}
	return nil
}

// behind reports whether the stream's next operation runs after an earlier one.
func (s *Stream) behind(at stamp) bool {
	return s.clock.covers(at) || s.device.isDone(at)
}

func (a *allocator) fits(size int64) bool {
	limit := a.device.options.Memory
	return limit == 0 || size <= limit-a.inUse-a.cached
}

// ask gets a block from the driver, or nil and the reason.
func (a *allocator) ask(c *driver.Caller, size int64, reason *error) *block {
	base, err := c.Alloc(size)
	if err != nil {
		*reason = err
		return nil
	}
	a.asks++
	a.inUse += size
	b := &block{base: base, size: size}
	if a.blocks == nil {
		a.free, a.blocks = map[int64][]*block{}, map[*block]struct{}{}
	}
	a.blocks[b] = struct{}{}
	return b
}

// makeRoom returns free blocks to the driver until a request can be met. The device
// is idle with respect to them.
func (a *allocator) makeRoom(c *driver.Caller, size int64) (*block, error) {
	refused := &MemoryError{Asked: size, InUse: a.inUse, Cached: a.cached, Limit: a.device.options.Memory}
	for {
		if a.fits(size) {
			if b := a.ask(c, size, &refused.Err); b != nil {
				return b, nil
			}
			if !errors.Is(refused.Err, ErrMemory) {
				return nil, refused.Err
			}
		}
		b := a.largestFree()
		if b == nil {
			return nil, refused
		}
		if err := a.giveBack(c, b); err != nil {
			return nil, err
		}
	}
}

// largestFree takes the largest of the free blocks out of its list.
func (a *allocator) largestFree() *block {
	var size int64
	for class, list := range a.free {
		if len(list) > 0 {
			size = max(size, class)
		}
	}
	list := a.free[size]
	if len(list) == 0 {
		return nil
	}
	b := list[len(list)-1]
	a.free[size] = list[:len(list)-1]
	return b
}

// giveBack returns a block to the driver. One that it does not take is left to the
// device's Close.
func (a *allocator) giveBack(c *driver.Caller, b *block) error {
	if err := c.Free(b.base); err != nil {
		return err
	}
	a.cached -= b.size
	delete(a.blocks, b)
	return nil
}

func (a *allocator) put(b *block, at stamp) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b.freed = at
	a.free[b.size] = append(a.free[b.size], b)
	a.inUse -= b.size
	a.cached += b.size
}

// releaseAll returns everything to the driver, in use or not.
func (a *allocator) releaseAll(c *driver.Caller) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var err error
	for b := range a.blocks {
		b.generation.Add(1)
		err = errors.Join(err, c.Free(b.base))
	}
	clear(a.blocks)
	clear(a.free)
	a.inUse, a.cached = 0, 0
	return err
}

// MemoryStats says what the allocator holds.
type MemoryStats struct {
	InUse       int64 // bytes in buffers, rounded up as they are kept
	Cached      int64 // bytes in freed blocks kept for reuse
	Allocations int64 // since the device was opened
	DriverCalls int64 // how many of them the driver had to be asked for
}

// MemoryStats says what the allocator holds.
func (d *Device) MemoryStats() MemoryStats {
	a := &d.memory
	a.mu.Lock()
	defer a.mu.Unlock()
	return MemoryStats{InUse: a.inUse, Cached: a.cached, Allocations: a.total, DriverCalls: a.asks}
}
