// Command benchmarks races ways to execute a binary Tree-LSTM against each other
// and writes what it found.
//
//	go run ./benchmarks                 a selection, a few minutes
//	go run ./benchmarks -full           everything that RESULTS.md reports
//	go run ./benchmarks -only train/sst single races, by a regular expression
//	go run ./benchmarks -guards         pass or fail, for continuous integration
//
// It must run from inside the repository. See README.md for what each figure means
// and how to get it alone.
//
// It is not a profiler: `go test -bench` with -cpuprofile is. Only one instance
// should run on a machine at a time, and nothing else beside it. Problems are
// reported on standard error with exit status 1, wrong usage with 2.
package main
