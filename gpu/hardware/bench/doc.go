// Command bench measures a CUDA device: what issuing and waiting cost, copies, loading
// of kernels, matrix products against cuBLAS, and the Tree-LSTM against the processor
// and PyTorch. It is a step of gpu/hardware/run, which the README beside it describes.
//
//	bench [flags] part...           parts: launch, copy, load, gemm, trees
//	bench -collect folder           joins what the steps of a run have left there
//
// Times are by the host's clock, around work and the wait for it. Samples are taken
// round by round in random order; a figure is a median with the outer tenths. Products
// are compared with a sum in float64 before they are timed, and all who run the
// Tree-LSTM must report equal losses.
//
// What is optional and missing (cuBLAS, PyTorch, the treebank) is noted in the results.
// A part that fails does not keep the others from running; the exit status is 1 then,
// and 2 for wrong usage. On an emulated device the figures mean nothing.
package main
