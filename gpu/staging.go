package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/frondml/frond/gpu/driver"
)

// staging is a stream's ring of pinned memory, through which ordinary memory is
// copied. It is pinned when it is first needed.
type staging struct {
	stream   *Stream
	memory   Pinned
	busy     atomic.Bool // an upload or download is using it
	head     int         // where the next piece begins
	inFlight []segment   // oldest first
}

// segment is a piece of the ring that a copy may still be using.
type segment struct {
	low, high int
	done      *Event
}

// maxInFlight bounds the pieces, and with them the events, of many small copies.
const maxInFlight = 64

// chunk is the largest piece. At a quarter of the ring a piece never overlaps the
// one before it, wherever that begins.
func (r *staging) chunk() int { return r.stream.device.options.Staging / 4 }

// reserve returns a piece of the ring, waiting until it is free.
func (r *staging) reserve(ctx context.Context, n int) (low int, err error) {
	if r.memory.block == nil {
		if r.memory, err = r.stream.device.AllocPinned(r.stream.device.options.Staging); err != nil {
			return 0, err
		}
	}
	low = r.head
	if low+n > len(r.memory.bytes) {
		low = 0
	}
	for len(r.inFlight) >= maxInFlight || r.overlaps(low, low+n) {
		if err := r.inFlight[0].done.wait(ctx); err != nil {
			return 0, err
		}
		r.forgetOldest()
	}
	r.head = low + n
	return low, nil
}

func (r *staging) overlaps(low, high int) bool {
	for _, s := range r.inFlight {
		if s.low < high && low < s.high {
			return true
		}
	}
	return false
}

func (r *staging) forgetOldest() {
	r.inFlight[0].done.Release()
	r.inFlight = r.inFlight[:copy(r.inFlight, r.inFlight[1:])]
}

// used notes that work just issued uses a piece of the ring.
func (r *staging) used(low, high int) error {
	done, err := r.stream.Record()
	if err != nil {
		// Nothing else tells when the piece is free.
		return errors.Join(err, r.stream.synchronize())
	}
	r.inFlight = append(r.inFlight, segment{low, high, done})
	return nil
}

// release gives the ring back. No copy is using it.
func (r *staging) release(c *driver.Caller) error {
	for len(r.inFlight) > 0 {
		r.forgetOldest()
	}
	if r.memory.block == nil {
		return nil
	}
	return r.stream.device.unpin(c, r.memory.block)
}

// Upload copies memory to a buffer of the same size, behind the stream's earlier
// work. The memory may be changed as soon as Upload returns, which is when the last
// of it has been put into the staging ring.
func (s *Stream) Upload(ctx context.Context, to Buffer, from []byte) error {
	if err := s.staging.begin(to, len(from)); err != nil {
		return s.failed(&opUpload, err)
	}
	defer s.staging.busy.Store(false)
	for offset := 0; offset < len(from); {
		n := min(s.staging.chunk(), len(from)-offset)
		low, err := s.staging.reserve(ctx, n)
		if err != nil {
			return s.failed(&opUpload, err)
		}
		piece := s.staging.memory.bytes[low : low+n]
		part := to.Slice(int64(offset), int64(offset+n))
		err = s.work(&opUpload, []Arg{Out(part)}, func() error {
			copy(piece, from[offset:])
			return s.caller.CopyToDevice(part.pointer(), piece, s.handle)
		})
		if err != nil {
			return err
		}
		if err := s.staging.used(low, low+n); err != nil {
			return err
		}
		offset += n
	}
	return nil
}

// Download copies a buffer to memory of the same size, behind the stream's earlier
// work, and waits until it is there.
func (s *Stream) Download(ctx context.Context, to []byte, from Buffer) error {
	if err := s.staging.begin(from, len(to)); err != nil {
		return s.failed(&opDownload, err)
	}
	defer s.staging.busy.Store(false)
	// While a piece is taken out of the ring the next one is on its way.
	taken := 0
	for offset := 0; offset < len(to); {
		n := min(s.staging.chunk(), len(to)-offset)
		if err := s.fetch(ctx, from.Slice(int64(offset), int64(offset+n))); err != nil {
			return err
		}
		if offset > 0 {
			if err := s.staging.take(ctx, to[taken:offset], 2); err != nil {
				return s.failed(&opDownload, err)
			}
			taken = offset
		}
		offset += n
	}
	if taken == len(to) {
		return nil
	}
	return s.failed(&opDownload, s.staging.take(ctx, to[taken:], 1))
}

// fetch issues the copy of a part of a buffer into the ring.
func (s *Stream) fetch(ctx context.Context, part Buffer) error {
	n := int(part.size)
	low, err := s.staging.reserve(ctx, n)
	if err != nil {
		return s.failed(&opDownload, err)
	}
	piece := s.staging.memory.bytes[low : low+n]
	err = s.work(&opDownload, []Arg{In(part)}, func() error { return s.caller.CopyToHost(piece, part.pointer(), s.handle) })
	if err != nil {
		return err
	}
	return s.staging.used(low, low+n)
}

// take waits for a piece of the ring, given by its place from the end of those in
// flight, and copies it.
func (r *staging) take(ctx context.Context, to []byte, fromEnd int) error {
	piece := r.inFlight[len(r.inFlight)-fromEnd]
	if err := piece.done.wait(ctx); err != nil {
		return err
	}
	// Close may come behind the wait, and must not release the ring meanwhile.
	if err := r.stream.device.begin(); err != nil {
		return err
	}
	defer r.stream.device.end()
	copy(to, r.memory.bytes[piece.low:piece.high])
	return nil
}

// begin checks a copy between a buffer and n bytes of memory, and takes the ring for
// it. Between its calls on the stream a copy waits, so they do not protect the ring.
func (r *staging) begin(b Buffer, n int) error {
	if err := b.valid(); err != nil {
		return err
	}
	if b.size != int64(n) {
		return fmt.Errorf("%w: the buffer has %d bytes and the memory %d", ErrArgument, b.size, n)
	}
	if !r.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	return nil
}
