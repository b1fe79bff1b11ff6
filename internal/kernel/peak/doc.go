// Package peak measures what the processor can do at most, for benchmarks that
// report a fraction of it.
//
// It is not a kernel and has no use outside benchmarks. It holds no state, is
// safe for concurrent use and returns no errors; where there is no assembly
// (see package kernel) it reports zero.
package peak
