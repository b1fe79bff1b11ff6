// Package cuda computes on a CUDA device what the executor asks of one: it implements
// the interfaces of package exec/device with the streams and memory of package gpu and
// the kernels of package gpu/kernels.
//
// It is not a layer to write CUDA programs on, which package gpu is, and decides
// nothing about batches: it turns each call into one launch or a few. What an operator
// means is said in package ops; here is only which kernel computes it.
//
// # Rows and memory
//
// Kernels work on rows in place where their strides allow it. Rows that are named by an
// index are read through it by products, sums of groups and chains; for other kernels
// they are gathered first, into memory of the stream that is free again behind the call.
//
// # Results
//
// With Precision FP32 a result has the same bits every time, and the bits of a row do
// not depend on the rows beside it. Sums over rows, as gradients of weights are, are
// added in an order that depends on the shapes and on the kind of device alone.
//
// # Ownership, concurrency and errors
//
// A [Device] is safe for concurrent use and lives until [Device.Close], which releases
// everything made on it. Streams are for one goroutine at a time. Errors of running out
// of memory are device.ErrMemory and gpu.ErrMemory at once, those of a lost device
// device.ErrLost and gpu.ErrDeviceLost. A device that was closed answers every call with
// gpu.ErrClosed.
package cuda
