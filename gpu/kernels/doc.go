// Package kernels has the operators of a CUDA device: chains of element-wise
// operations, rows by index, reductions, distributions, normalisation, dropout, matrix
// products and the steps of optimisers, on float32, and what there is on int32 and
// truth values.
//
// It is not a tensor library: matrices are row-major views of buffers that the
// caller sized, and every call is one launch on one stream, or two where a sum is made
// of parts. Shapes are checked before a launch ([gpu.ErrArgument]); the contents of
// index lists are not, because they are on the device. A kernel that meets an index
// outside of its table ends with a fault, after which the device is lost.
//
// # Results
//
// The kernels use no approximate instructions and fuse products and sums only where
// their source says so. A result has the same bits on every device and every time, and
// the bits of an element or a row do not depend on what is computed beside it. The
// exceptions say so: [Set.ScatterAddRows], sums that are asked for in any order, and
// [Set.TensorGEMM].
//
// # Kernels and PTX
//
// The sources are in cuda/*.cu, the PTX that programs ship beside them. Changing a
// source wants clang-19 and go generate; tests compare the two.
//
// # Ownership and concurrency
//
// A [Set] belongs to a device, is immutable and safe for concurrent use; streams are
// for one goroutine at a time. No call keeps a buffer.
package kernels

//go:generate go run ../internal/cudac/generate cuda/elementwise.cu cuda/gemm.cu cuda/rows.cu
//go:generate go run ../internal/cudac/generate cuda/columns.cu cuda/cross_entropy.cu cuda/dropout.cu cuda/gemm_split.cu
//go:generate go run ../internal/cudac/generate cuda/normalize.cu cuda/optimizer.cu cuda/products.cu cuda/reduce.cu
//go:generate go run ../internal/cudac/generate cuda/gemm_tensor.cu cuda/softmax.cu cuda/softplus.cu
//go:generate go run ../internal/cudac/generate cuda/strided.cu cuda/words.cu
//go:generate go run ../internal/cudac/generate cuda/elements.cu cuda/fused.cu cuda/norm.cu cuda/max_gradient.cu cuda/pick.cu
