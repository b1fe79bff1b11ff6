package host

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
)

// buffer is memory. Its fields but words and device are guarded by the device's mutex.
type buffer struct {
	device *Device
	words  []float32
	freed  bool
	wrote  stamp   // who wrote it last
	reads  []stamp // who read it since, one per stream
}

// Words implements device.Buffer.
func (b *buffer) Words() int { return len(b.words) }

// poison is the NaN that fresh memory holds if Options.Poison is set.
const poison = 0x7fc0dead

// integers are words as integers.
func integers(words []float32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

// naturals are words as unsigned integers.
func naturals(words []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

// Alloc implements device.Stream.
func (s *Stream) Alloc(words int) (device.Buffer, error) {
	if words < 0 {
		return nil, argument("Alloc: %d words", words)
	}
	if err := s.begin("Alloc"); err != nil {
		return nil, err
	}
	defer s.end()
	d := s.device
	d.mu.Lock()
	if words > d.limit-d.held.Words {
		defer d.mu.Unlock()
		return nil, fmt.Errorf("%w: %d words asked, %d held, the limit is %d", device.ErrMemory, words, d.held.Words, d.limit)
	}
	d.held.Words += words
	d.held.Buffers++
	d.mu.Unlock()
	b := &buffer{device: d, words: kernel.Aligned(words)}
	if d.options.Poison {
		for i := range b.words {
			b.words[i] = math.Float32frombits(poison)
		}
	}
	return b, s.uses("Alloc", access{b, true})
}

// Free implements device.Stream.
func (s *Stream) Free(b device.Buffer) error {
	if err := s.enter("Free"); err != nil {
		return err
	}
	defer s.end()
	own, err := s.own(b)
	if err != nil {
		return fmt.Errorf("Free: %w", err)
	}
	// On a lost device nothing is in order any more, and all is to be given back.
	if err := s.uses("Free", access{own, true}); err != nil && s.device.isLost() == nil {
		return err
	}
	d := s.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if own.freed {
		return fmt.Errorf("Free: %w", ErrFreed)
	}
	own.freed = true
	d.held.Words -= len(own.words)
	d.held.Buffers--
	return nil
}

func (d *Device) isLost() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

// own returns a buffer as what it must be, one of the stream's device.
func (s *Stream) own(b device.Buffer) (*buffer, error) {
	own, ok := b.(*buffer)
	if !ok || own == nil || own.device != s.device {
		return nil, argument("a %T is no buffer of device %s", b, s.device.Name())
	}
	return own, nil
}
