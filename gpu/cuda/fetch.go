package cuda

import (
	"context"
	"fmt"
	"math/bits"
	"sync"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
)

// fetch is a copy on its way to pinned memory. Nobody waits for it: the event says when
// it has come.
type fetch struct {
	pool   *fetchPool
	memory gpu.Pinned
	size   int // bytes
	event  *gpu.Event
}

// Fetch implements device.Stream.
func (s *Stream) Fetch(from device.Buffer, at, words int) (device.Fetch, error) {
	part, err := wordsOf(from, at, words)
	if err != nil {
		return nil, err
	}
	memory, err := s.device.fetches.get(4 * words)
	if err != nil {
		return nil, translated(err)
	}
	f := &fetch{pool: &s.device.fetches, memory: memory, size: 4 * words}
	if words > 0 {
		if err := s.stream.CopyToHost(memory.Slice(0, f.size), part); err != nil {
			f.pool.put(memory)
			return nil, translated(err)
		}
	}
	if f.event, err = s.stream.Record(); err != nil {
		// The copy may still come: its memory is not used again.
		return nil, translated(err)
	}
	return f, nil
}

// Done implements device.Fetch.
func (f *fetch) Done() bool {
	done, err := f.event.Done()
	return done || err != nil
}

// Ints implements device.Fetch.
func (f *fetch) Ints(to []int32) error {
	if 4*len(to) != f.size {
		f.Release()
		return fmt.Errorf("%w: %d words were fetched, and %d are wanted", gpu.ErrArgument, f.size/4, len(to))
	}
	err := f.event.Wait(context.Background())
	f.event.Release()
	if err != nil {
		return translated(err)
	}
	return f.pool.read(f.memory, bytesOf(to))
}

// Release implements device.Fetch. The memory is used again when the copy has ended.
func (f *fetch) Release() {
	f.event.Notify(func(err error) {
		if err == nil {
			f.pool.put(f.memory)
		}
	})
	f.event.Release()
}

// fetchPool keeps pinned memory for reuse, because pinning is slow.
type fetchPool struct {
	gpu    *gpu.Device
	mu     sync.Mutex
	free   map[int][]gpu.Pinned // by size
	closed bool                 // the memory is gone
}

// minFetch is the size in bytes of the smallest block. Sizes are powers of two.
const minFetch = 4 << 10

func (p *fetchPool) get(size int) (gpu.Pinned, error) {
	class := max(minFetch, 1<<bits.Len(uint(max(1, size)-1)))
	if memory, ok := p.take(class); ok {
		return memory, nil
	}
	return p.gpu.AllocPinned(class)
}

// take returns free memory of a size, if there is any.
func (p *fetchPool) take(size int) (memory gpu.Pinned, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.free[size]
	if len(list) == 0 {
		return memory, false
	}
	p.free[size] = list[:len(list)-1]
	return list[len(list)-1], true
}

// read copies what has come and gives the memory back.
func (p *fetchPool) read(memory gpu.Pinned, to []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("fetch: device: %w", gpu.ErrClosed)
	}
	copy(to, memory.Bytes())
	p.keep(memory)
	return nil
}

func (p *fetchPool) put(memory gpu.Pinned) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keep(memory)
}

// keep is put with the lock held.
func (p *fetchPool) keep(memory gpu.Pinned) {
	if p.free == nil {
		p.free = map[int][]gpu.Pinned{}
	}
	size := len(memory.Bytes())
	p.free[size] = append(p.free[size], memory)
}

func (p *fetchPool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// close ends the use of the memory, which the device is about to give back.
func (p *fetchPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed, p.free = true, nil
}
