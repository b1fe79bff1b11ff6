// Package driver binds the CUDA driver API, libcuda.so.1, which it opens when the
// program runs. It needs neither cgo nor a CUDA toolkit, and the same binary
// starts with and without a driver: [Open] says what is missing.
// Being able to load a library has one price: on Linux a program that imports this
// package is linked dynamically against the C library, with cgo disabled as well.
//
// It is not an abstraction. Every method of [Calls] is one call of the driver with Go
// types and Go errors; what an allocation, a stream or an event is good for, and who
// may use it when, is the business of package gpu.
//
// # Bindings
//
// How the calls reach the library is a [Binding]. This package's own loads the
// library with purego and calls its functions by their addresses. Another binding is
// given to [OpenWith]; package gpu/mumax has one that goes through cgo.
//
// # Callers and threads
//
// Calls go through a [Caller], which holds what the call in progress needs, so that
// no call allocates. A Caller belongs to one goroutine at a
// time. CUDA keeps the current context per operating system thread, and a
// goroutine may move between threads: [Caller.Enter] keeps it on its thread and
// makes the context current there, [Caller.Leave] lets it go. Whatever works on
// contexts, memory, streams, events, modules or launches must be called between
// the two. Nothing here blocks a thread except the calls named Synchronize.
//
// # Ownership
//
// Handles are plain numbers owned by whoever asked for them; nothing is freed by
// the garbage collector. The driver library itself is never unloaded, because it
// keeps threads of its own.
//
// # Errors
//
// A failed call returns an [*Error] with the name of the call and its [Status].
// errors.Is finds the kind: [ErrNoDriver], [ErrDriverTooOld], [ErrNoDevice],
// [ErrMemory], [ErrDeviceLost], [ErrKernel]. Kernels run later than their launch,
// so the call that reports a fault is seldom the one that caused it, and every
// later call on the context reports it again.
package driver
