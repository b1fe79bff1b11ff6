// Package device is what the executor asks of whatever computes with its floats: memory,
// streams of work, events between streams, and kernels over rows.
//
// It has interfaces and the types that they speak of, and computes nothing. Package host
// implements them on the processor and gpu/cuda on a CUDA device; package devicetest is
// the suite that every implementation must pass. docs/kernels.md in the repository is for
// whoever writes one.
//
// # Division of labour
//
// Integers, truth values, names of rows and lists stay on the host, since they steer
// what is executed. Floats lie on the device. A batch of invocations sends its index
// lists in one copy and then issues its kernels, and waits only for integers that were
// computed from floats.
//
// # Order and ownership
//
// A [Stream] is for one goroutine at a time. Its work happens in the order in which it
// was issued; between streams nothing is ordered but by an [Event]. A [Buffer] is used
// until it is freed on a stream, at that point of the stream's order. Memory of the host
// that is passed to a stream is read before the call returns.
//
// # Errors
//
// A kernel may fail after the call that issued it; a later call on the device returns
// the error. Out of memory is [ErrMemory], a device that can do nothing more [ErrLost].
// After both, freeing and closing work.
package device

import "errors"

var (
	// ErrMemory means that the device, or the limit that it was given, has no room.
	ErrMemory = errors.New("out of device memory")
	// ErrLost means that the device has failed and can compute nothing any more.
	ErrLost = errors.New("device lost")
	// ErrNoKernel means that a device has no kernel for an operator. The executor
	// computes it on the host then.
	ErrNoKernel = errors.New("no kernel for the operator on the device")
)
