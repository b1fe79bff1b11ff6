// Package measure races pieces of code against each other on a machine that may be
// busy with other work: short samples, interleaved in random order, of which ratios
// of neighbours and medians are taken.
//
// It is not a replacement of package testing, whose benchmarks run one after the
// other and so see different machines when the load changes.
//
// # Ownership, concurrency, errors
//
// One race at a time should run in a process, and nothing else beside it. Errors are
// those of the raced code, with the name of the case.
package measure
