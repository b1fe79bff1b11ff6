package cuda

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/frondml/frond/exec/device"
	"github.com/frondml/frond/gpu"
)

// Buffer is memory of a device.
type Buffer struct {
	buffer gpu.Buffer
	size   int
}

// Words implements device.Buffer.
func (b *Buffer) Words() int { return b.size }

// bufferOf returns the buffer that this package made.
func bufferOf(b device.Buffer) (*Buffer, error) {
	own, ok := b.(*Buffer)
	if !ok || own == nil {
		return nil, foreign("buffer", b)
	}
	return own, nil
}

// words returns n words of a buffer from word at on.
func (b *Buffer) words(at, n int) (gpu.Buffer, error) {
	if at < 0 || n < 0 || at > b.size-n {
		return gpu.Buffer{}, fmt.Errorf("%w: words %d to %d of a buffer of %d", gpu.ErrArgument, at, at+n, b.size)
	}
	return b.buffer.Slice(4*int64(at), 4*int64(at+n)), nil
}

// wordsOf returns n words of a buffer from word at on.
func wordsOf(b device.Buffer, at, n int) (gpu.Buffer, error) {
	own, err := bufferOf(b)
	if err != nil {
		return gpu.Buffer{}, err
	}
	return own.words(at, n)
}

// maxWords bounds a buffer, far beyond every device: sizes in bytes must not overflow.
const maxWords = 1 << 56

// Alloc implements device.Stream.
func (s *Stream) Alloc(words int) (device.Buffer, error) {
	switch {
	case words < 0:
		return nil, fmt.Errorf("%w: a buffer of %d words", gpu.ErrArgument, words)
	case words > maxWords:
		return nil, translated(fmt.Errorf("%w: a buffer of %d words", gpu.ErrMemory, words))
	}
	b, err := s.stream.Alloc(4 * int64(words))
	if err != nil {
		return nil, translated(err)
	}
	return &Buffer{b, words}, nil
}

// Free implements device.Stream. Memory of a device that is lost or closed is gone already.
func (s *Stream) Free(b device.Buffer) error {
	own, err := bufferOf(b)
	if err != nil {
		return err
	}
	return s.device.unlessGone(s.stream.Free(own.buffer))
}

// UploadFloats implements device.Stream.
func (s *Stream) UploadFloats(to device.Buffer, at int, from []float32) error {
	return upload(s, to, at, from)
}

// UploadInts implements device.Stream.
func (s *Stream) UploadInts(to device.Buffer, at int, from []int32) error {
	return upload(s, to, at, from)
}

// DownloadFloats implements device.Stream.
func (s *Stream) DownloadFloats(to []float32, from device.Buffer, at int) error {
	return download(s, to, from, at)
}

// DownloadInts implements device.Stream.
func (s *Stream) DownloadInts(to []int32, from device.Buffer, at int) error {
	return download(s, to, from, at)
}

// word is an element of a buffer, which on the host lies in memory as on the device:
// CUDA runs on little-endian machines only.
type word interface{ float32 | int32 }

func bytesOf[T word](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

func upload[T word](s *Stream, to device.Buffer, at int, from []T) error {
	part, err := wordsOf(to, at, len(from))
	if err != nil || len(from) == 0 {
		return err
	}
	return translated(s.stream.Upload(context.Background(), part, bytesOf(from)))
}

func download[T word](s *Stream, to []T, from device.Buffer, at int) error {
	part, err := wordsOf(from, at, len(to))
	if err != nil || len(to) == 0 {
		return err
	}
	return translated(s.stream.Download(context.Background(), bytesOf(to), part))
}

// Copy implements device.Stream.
func (s *Stream) Copy(to device.Buffer, at int, from device.Buffer, fromAt, words int) error {
	target, err := wordsOf(to, at, words)
	if err != nil {
		return err
	}
	source, err := wordsOf(from, fromAt, words)
	if err != nil || words == 0 {
		return err
	}
	return translated(s.stream.Copy(target, source))
}

// Zero implements device.Stream.
func (s *Stream) Zero(b device.Buffer, at, words int) error {
	part, err := wordsOf(b, at, words)
	if err != nil || words == 0 {
		return err
	}
	return translated(s.stream.Fill(part, 0))
}
