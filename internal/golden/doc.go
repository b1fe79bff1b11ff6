// Package golden loads reference results of recursive networks that an
// independent program computed in float64, for tests of everything that executes
// models.
//
// A file holds the sizes of a model, its data and its results: losses, outputs,
// gradients and training curves. Weights are not stored; [File.Values] computes
// them from a formula. A [Case] puts it all together: the model, built and with its
// weights, the examples to execute and how to check what came out. The files lie in the directory that FROND_GOLDEN names, or
// else in golden of the reference data beside the repository; without either,
// tests are skipped.
//
// # What it is not
//
// The package executes nothing: tests of executors run the examples and hand over
// the [Outcome]. No program uses it outside of tests.
//
// # Ownership, concurrency, errors
//
// Everything returned belongs to the caller. The functions may be used from
// parallel tests. They fail the test that calls them.
package golden
