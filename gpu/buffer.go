package gpu

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/frondml/frond/gpu/driver"
)

// Buffer is a range of device memory. It is a small value, like a slice: copies and
// slices of it denote the same memory.
type Buffer struct {
	block      *block
	generation uint64 // of the block, to tell a freed buffer
	offset     int64
	size       int64
}

// block is a piece of memory that the driver gave, in use by one buffer at a time.
type block struct {
	base       driver.Pointer
	size       int64 // that of its class
	asked      int64 // that of the buffer
	generation atomic.Uint64
	freed      stamp // the operation behind which it was freed

	mu       sync.Mutex
	accesses []access // since it was allocated, with Options.Check
}

// Size returns the buffer's size in bytes.
func (b Buffer) Size() int64 { return b.size }

// Slice returns the bytes from low up to high. A range outside of the buffer gives
// an invalid buffer, which every call refuses.
func (b Buffer) Slice(low, high int64) Buffer {
	if low < 0 || low > high || high > b.size {
		return Buffer{}
	}
	b.offset += low
	b.size = high - low
	return b
}

// pointer returns the address on the device.
func (b Buffer) pointer() driver.Pointer { return b.block.base + driver.Pointer(b.offset) }

// valid returns why the buffer cannot be used, if it cannot.
func (b Buffer) valid() error {
	if b.block == nil {
		return fmt.Errorf("%w: the buffer was never allocated, or sliced out of its range", ErrArgument)
	}
	if b.block.generation.Load() != b.generation {
		return fmt.Errorf("buffer of %d bytes: %w", b.size, ErrClosed)
	}
	return nil
}
