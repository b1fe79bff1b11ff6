// Package kernel holds the float32 CPU kernels under the operators: matrix
// products over packed weights, transcendental and element-wise functions,
// reductions, row normalisations, row gathers and optimiser updates.
//
// It is not a tensor library. There are no shapes, no broadcasting and no
// allocation of results: every function works on slices that the caller sized,
// and on matrices given as a slice and a row stride. The layer above checks
// what users wrote; here a slice that is too short is a broken invariant and
// panics like any index out of range, before a byte is read or written.
//
// # Implementations
//
// On amd64 processors with AVX2 and FMA the work is done by assembly, chosen
// once at start-up. Everywhere else, and with the build tag noasm, pure Go
// twins run on the same data layout. Both obey the same definitions, but they
// round differently: results agree closely, not bit for bit. Assembly is
// invisible to the race detector; use the tag noasm to hunt for data races.
//
// # Reproducibility
//
// A batch must not change the results of its members. The bits of a row of
// [Gemm] depend on that row, on B and on the starting value only, never on the
// number of rows, on their neighbours or on how columns were split. The bits of
// an element of an element-wise function depend on its operands only, never on
// its position or on the length of the slice. Reductions depend on the length
// and the values.
//
// # Ownership and concurrency
//
// No function keeps a reference to its arguments. All are safe for concurrent
// use on disjoint destinations. A destination may be the very same slice as an
// operand where the function says so; partial overlap is never allowed. An
// assembly call is not preemptible, so each is bounded to some tens of
// microseconds and longer work is split in Go.
package kernel

//go:generate go run -C asmgen .
