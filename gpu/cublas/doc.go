// Package cublas multiplies matrices on a CUDA device with NVIDIA's cuBLAS, where the
// machine has it: the measure of the products of package kernels, and an alternative
// for large ones.
//
// It is not a binding of cuBLAS, only of its products of matrices of float32 and
// bfloat16, and nothing in this module needs it. The library is opened when the program
// asks for it, without cgo; [Open] says what is missing ([ErrNoLibrary]).
//
// cuBLAS stores matrices by columns, this module by rows. A matrix by rows is its
// transpose by columns, so C = A B is computed as Cᵀ = Bᵀ Aᵀ and nothing is copied.
//
// # Results
//
// NVIDIA's documentation of cuBLAS, "Results Reproducibility", promises the same bits in
// every run with one version of the library, on devices of the same architecture and the
// same number of multiprocessors; with several streams at work, only if each has a handle
// or a workspace of its own, as they have here. A result may have other bits with another
// version, and a row of a product may in a product of more rows or fewer. Environment
// variables that change the precision of NVIDIA's libraries change that of products here.
//
// # Ownership and concurrency
//
// A [Library] is immutable, safe for concurrent use and never unloaded. A [Handle]
// belongs to one stream and, like it, to one goroutine at a time; it owns workspace on
// the device and must be closed before its stream, or abandoned before its device. Products are work of the stream like
// launches: they return when they are queued, and are ordered and checked with its other
// work. The library works in the device's primary context, which package gpu uses too.
//
// # Errors
//
// A call that the library refuses is an [*Error] with its status, and shapes that do not
// fit a [gpu.ErrArgument]. It is a [gpu.ErrDeviceLost] as well if the device has failed.
// A failure of the product itself comes later, from another call on the device, as
// package gpu describes.
package cublas
