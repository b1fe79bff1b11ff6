package gpu

import (
	"errors"
	"fmt"
	"strings"

	"github.com/frondml/frond/gpu/driver"
)

// Kinds of errors, for errors.Is.
var (
	// ErrNoDriver means that no usable CUDA driver was found.
	ErrNoDriver = driver.ErrNoDriver
	// ErrDriverTooOld means that the driver cannot run the kernels.
	ErrDriverTooOld = driver.ErrDriverTooOld
	// ErrNoDevice means that there is no device, or none that was asked for.
	ErrNoDevice = driver.ErrNoDevice
	// ErrMemory means that the device, or the limit on it, has no memory left.
	ErrMemory = driver.ErrMemory
	// ErrDeviceLost means that the device can no longer be used.
	ErrDeviceLost = driver.ErrDeviceLost
	// ErrKernel means that a kernel failed, or that its launch was refused.
	ErrKernel = driver.ErrKernel
	// ErrArgument means that arguments do not fit each other, a kernel or a buffer.
	ErrArgument = errors.New("invalid argument")
	// ErrRace means that accesses of two streams to a buffer are not ordered.
	ErrRace = errors.New("stream race")
	// ErrBusy means that a stream was used by two goroutines at once.
	ErrBusy = errors.New("stream is in use by another goroutine")
	// ErrClosed means that a device, stream or module was closed, or a buffer freed.
	ErrClosed = errors.New("closed")
)

// MemoryError is a request for device memory that cannot be met. It is an
// [ErrMemory].
type MemoryError struct {
	Asked  int64 // bytes
	InUse  int64 // bytes in buffers that are not freed
	Cached int64 // bytes kept for reuse; they did not help
	Limit  int64 // Options.Memory, 0 if there is none
	Err    error // what the driver said, if it was asked
}

func (e *MemoryError) Error() string {
	limit := "no limit set"
	if e.Limit > 0 {
		limit = fmt.Sprintf("limit %d", e.Limit)
	}
	s := fmt.Sprintf("%v: asked for %d bytes, %d in use, %d cached, %s", ErrMemory, e.Asked, e.InUse, e.Cached, limit)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns [ErrMemory].
func (e *MemoryError) Unwrap() error { return ErrMemory }

// StreamError is a failure of a call on a stream.
type StreamError struct {
	Stream int    // its number
	Op     string // "launch of gemm"
	Err    error
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("stream %d: %s: %v", e.Stream, e.Op, e.Err)
}

// Unwrap returns the cause.
func (e *StreamError) Unwrap() error { return e.Err }

// LostError is the first failure after which nothing works on the device. It is
// both an [ErrDeviceLost] and of the kind of its cause.
type LostError struct {
	Err error // what the driver said
	// Recent names the work issued last on each stream, newest last; the cause is
	// among it if it was a kernel.
	Recent []string
}

func (e *LostError) Error() string {
	s := fmt.Sprintf("%v: %v", ErrDeviceLost, e.Err)
	if len(e.Recent) > 0 {
		s += "; issued last: " + strings.Join(e.Recent, "; ")
	}
	return s
}

// Unwrap returns [ErrDeviceLost] and the cause.
func (e *LostError) Unwrap() []error { return []error{ErrDeviceLost, e.Err} }

// RaceError is an access to a buffer that is not ordered against an earlier one.
// It is an [ErrRace].
type RaceError struct {
	Op, OtherOp         string // "launch of gemm"
	Stream, OtherStream int
	Write, OtherWrite   bool
	Low, High           int64 // the bytes of the allocation that both touch
}

func (e *RaceError) Error() string {
	verb := map[bool]string{false: "reads", true: "writes"}
	return fmt.Sprintf("%v: %s on stream %d %s bytes %d to %d of a buffer, and is not ordered behind %s on stream %d, which %s them",
		ErrRace, e.Op, e.Stream, verb[e.Write], e.Low, e.High, e.OtherOp, e.OtherStream, verb[e.OtherWrite])
}

// Unwrap returns [ErrRace].
func (e *RaceError) Unwrap() error { return ErrRace }
