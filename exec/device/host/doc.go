// Package host is a device on the processor.
//
// It computes with the batching rules of package ops and the kernels below them, so that
// a program gives on it what it gives without a device, up to the order of sums. It is
// for tests of whatever drives devices, and for finding its mistakes: it knows who uses
// which memory, and it can check the order between streams, run out of memory, fail, and
// lack kernels, as [Options] ask. It is not a faster executor; work is done by the
// goroutine that issues it, before the call returns.
//
// # Ownership
//
// A buffer is used until it is freed; using it afterwards is [ErrFreed]. [Device.Held]
// says what has not been given back.
//
// # Concurrency
//
// A device is safe for concurrent use, a stream is for one goroutine at a time. Streams
// that use the same buffer must be ordered by events; Options.Check makes it an error if
// they are not. The order of the goroutines that issued the work is no excuse: on a
// device that works asynchronously it would be none.
//
// # Errors
//
// Arguments that cannot be right wrap [ErrArgument]. Errors say what was asked and which
// limits there are.
package host
