// Command benchmarks races ways to execute recursive networks against each other and
// writes what it found.
//
//	go run ./benchmarks                  a selection, a few minutes
//	go run ./benchmarks -full            everything that RESULTS.md reports
//	go run ./benchmarks -only train/sst  some of it, by a regular expression
//	go run ./benchmarks -guards          pass or fail, for continuous integration
//
// A race takes place in a setting, among the contenders of a field: ways to execute
// a program with this library, or programs with other libraries, in processes of
// their own. See README.md for what each figure means and how to get it alone.
//
// It must run from inside the repository. It is not a profiler: `go test -bench` with
// -cpuprofile is. Only one instance should run on a machine at a time, and nothing
// else beside it. Problems are reported on standard error with exit status 1, wrong
// usage with 2. A rival that is not there, or does not start, is no problem but a
// note in the results.
package main
