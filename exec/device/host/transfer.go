package host

import (
	"fmt"
	"sync/atomic"

	"github.com/frondml/frond/exec/device"
)

// words begins an operation on n words of one buffer, calls f with them and ends it.
func (s *Stream) words(what string, b device.Buffer, at, n int, write bool, f func(words []float32)) error {
	if err := s.begin(what); err != nil {
		return err
	}
	defer s.end()
	words, err := s.resolve(b, at, n, write)
	if err == nil && b == nil {
		err = argument("no buffer")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := s.ready(what); err != nil {
		return err
	}
	f(words)
	return nil
}

// UploadFloats implements device.Stream.
func (s *Stream) UploadFloats(to device.Buffer, at int, from []float32) error {
	return s.words("UploadFloats", to, at, len(from), true, func(words []float32) { copy(words, from) })
}

// UploadInts implements device.Stream.
func (s *Stream) UploadInts(to device.Buffer, at int, from []int32) error {
	return s.words("UploadInts", to, at, len(from), true, func(words []float32) { copy(integers(words), from) })
}

// DownloadFloats implements device.Stream.
func (s *Stream) DownloadFloats(to []float32, from device.Buffer, at int) error {
	return s.words("DownloadFloats", from, at, len(to), false, func(words []float32) {
		copy(to, words)
		s.waited()
	})
}

// DownloadInts implements device.Stream.
func (s *Stream) DownloadInts(to []int32, from device.Buffer, at int) error {
	return s.words("DownloadInts", from, at, len(to), false, func(words []float32) {
		copy(to, integers(words))
		s.waited()
	})
}

// Zero implements device.Stream.
func (s *Stream) Zero(b device.Buffer, at, words int) error {
	return s.words("Zero", b, at, words, true, func(words []float32) { clear(words) })
}

// Copy implements device.Stream.
func (s *Stream) Copy(to device.Buffer, at int, from device.Buffer, fromAt, words int) error {
	if to == from && words > 0 && at < fromAt+words && fromAt < at+words {
		return argument("Copy: %d words from %d and from %d on of one buffer overlap", words, fromAt, at)
	}
	if err := s.begin("Copy"); err != nil {
		return err
	}
	defer s.end()
	dst, err := s.resolve(to, at, words, true)
	if err != nil {
		return fmt.Errorf("Copy: to: %w", err)
	}
	src, err := s.resolve(from, fromAt, words, false)
	if err != nil {
		return fmt.Errorf("Copy: from: %w", err)
	}
	if err := s.ready("Copy"); err != nil {
		return err
	}
	copy(dst, src)
	return nil
}

// fetch is a copy to the host.
type fetch struct {
	stream  *Stream
	words   []int32
	upTo    clock
	queries atomic.Int64
	over    atomic.Bool
}

// Fetch implements device.Stream.
func (s *Stream) Fetch(from device.Buffer, at, words int) (device.Fetch, error) {
	f := &fetch{stream: s}
	err := s.words("Fetch", from, at, words, false, func(words []float32) {
		f.words = append(f.words, integers(words)...)
		s.device.mu.Lock()
		defer s.device.mu.Unlock()
		s.device.held.Fetches++
		f.upTo = append(f.upTo, s.clock...)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Done implements device.Fetch.
func (f *fetch) Done() bool { return f.queries.Add(1) > int64(f.stream.device.options.SlowFetch) }

// Ints implements device.Fetch.
func (f *fetch) Ints(to []int32) error {
	if len(to) != len(f.words) {
		return argument("Fetch: %d words asked, %d fetched", len(to), len(f.words))
	}
	if !f.finish() {
		return argument("Fetch: the words were taken or released before")
	}
	d := f.stream.device
	if err := d.mayFail("Fetch.Ints"); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done.join(f.upTo)
	copy(to, f.words)
	return nil
}

// Release implements device.Fetch.
func (f *fetch) Release() { f.finish() }

// finish ends the copy and reports whether it had not ended before.
func (f *fetch) finish() bool {
	if !f.over.CompareAndSwap(false, true) {
		return false
	}
	d := f.stream.device
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held.Fetches--
	return true
}
