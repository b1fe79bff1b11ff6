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
// With Precision FP32 and own kernels a result has the same bits every time, and the bits of a row do
// not depend on the rows beside it. Sums over rows, as gradients of weights are, are
// added in an order that depends on the shapes and on the kind of device alone.
//
// # cuBLAS
//
// With Products CuBLAS NVIDIA's library multiplies matrices, by Sgemm or, with TF32 and
// BF16, by GemmEx with FastTF32 and FastBF16. It takes all products of rows without an
// index; the bias is written to the result first. Rows that are named by an index are
// copied together for it if the product has at least 512 columns and 2^26
// multiplications; own kernels, which read through the index, compute smaller ones. They
// also compute products of one row that is repeated, and small products of matrices that
// differ from call to call. Each stream has a handle and workspace of its
// own, 32 MiB from compute capability 9.0 on and 4 MiB below, until it is closed.
//
// The library chooses how to add by the shape of a product. So the bits of a row may
// depend on how many rows are computed together, against what exec/device asks of a
// product, and on the version of the library. The same calls on a stream have the same
// bits every time, with one version and one kind of device, as package cublas quotes
// NVIDIA; so do sums of outer products.
//
// # Ownership, concurrency and errors
//
// A [Device] is safe for concurrent use and lives until [Device.Close], which releases
// everything made on it. Streams are for one goroutine at a time. Opening and closing one
// that has a handle of cuBLAS waits for the device. Errors of running out
// of memory are device.ErrMemory and gpu.ErrMemory at once, those of a lost device
// device.ErrLost and gpu.ErrDeviceLost. A device that was closed answers every call with
// gpu.ErrClosed, but memory and streams can still be given back. What cuBLAS refuses is a
// cublas.Error.
package cuda
