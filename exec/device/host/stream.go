package host

import (
	"fmt"
	"sync/atomic"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/internal/kernel"
	"github.com/frondml/frond/ops"
)

// Stream executes work at once.
type Stream struct {
	device *Device
	number int
	clock  clock // guarded by the device's mutex
	busy   atomic.Bool
	closed bool

	accesses []access // of the operation that is being prepared
	batch    ops.Batch
	scratch  ops.Scratch
	operands []ops.Rows
	floats   []float32
	zeros    []int32
	packed   kernel.Packed
}

var _ device.Stream = (*Stream)(nil)

// enter begins an operation that also works on a lost device.
func (s *Stream) enter(what string) error {
	if !s.busy.CompareAndSwap(false, true) {
		return fmt.Errorf("%s: stream %d: %w", what, s.number, ErrBusy)
	}
	if s.closed {
		s.busy.Store(false)
		return fmt.Errorf("%s: stream %d: %w", what, s.number, ErrClosed)
	}
	s.accesses = s.accesses[:0]
	return nil
}

// begin begins an operation. Unless it returns an error, end must follow.
func (s *Stream) begin(what string) error {
	if err := s.enter(what); err != nil {
		return err
	}
	if err := s.device.mayFail(what); err != nil {
		s.end()
		return err
	}
	return nil
}

// end ends an operation.
func (s *Stream) end() { s.busy.Store(false) }

// resolve returns the words from at on of a buffer, n of them, and notes that the
// operation uses the buffer. Without any words there need not be a buffer.
func (s *Stream) resolve(b device.Buffer, at, n int, write bool) ([]float32, error) {
	if n == 0 && b == nil {
		return nil, nil
	}
	own, err := s.own(b)
	if err != nil {
		return nil, err
	}
	if size := len(own.words); at < 0 || n < 0 || at > size || n > size-at {
		return nil, argument("%d words from %d on of a buffer of %d", n, at, size)
	}
	s.accesses = append(s.accesses, access{own, write})
	return own.words[at : at+n : at+n], nil
}

// ready checks the accesses that the operation has noted. What was resolved may be used
// if it returns no error.
func (s *Stream) ready(what string) error { return s.uses(what, s.accesses...) }

// list returns the n integers of a list.
func (s *Stream) list(i device.Index, n int) ([]int32, error) {
	words, err := s.resolve(i.Buffer, i.Offset, n, false)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return integers(words), nil
}

// temporary returns n words with arbitrary contents, valid until the next call.
func (s *Stream) temporary(n int) []float32 {
	if cap(s.floats) < n {
		s.floats = make([]float32, n+n/2)
	}
	return s.floats[:n]
}

// Launch implements device.Stream.
func (s *Stream) Launch(k device.Kernel, c *device.Call) error {
	own, ok := k.(launcher)
	if !ok || own.owner() != s.device {
		return argument("Launch: a %T is no kernel of device %s", k, s.device.Name())
	}
	what := own.name()
	if c == nil || c.N < 0 || c.Length < 0 {
		return argument("%s: call %+v", what, c)
	}
	if err := s.begin(what); err != nil {
		return err
	}
	defer s.end()
	if err := own.launch(s, c); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// launcher is a kernel.
type launcher interface {
	owner() *Device
	name() string // of its launches
	launch(s *Stream, c *device.Call) error
}

// Close implements device.Stream.
func (s *Stream) Close() error {
	if err := s.enter("Close"); err != nil {
		return err
	}
	defer s.end()
	s.closed = true
	d := s.device
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done.join(s.clock)
	d.idle = append(d.idle, s.number)
	d.held.Streams--
	return nil
}
