// Package docs checks what people read: the README, the pages in docs and the
// comments of exported symbols. It holds tests only.
//
// # Blocks
//
// A block of Go code on a page names, in an HTML comment on the line before, the
// file that it is taken from:
//
//	<!-- from examples/tutorial/fib.go -->
//
// The block must stand in that file, line by line, at any indentation; the tests of
// the file's package run it. A block of output is treated alike and is found in the
// "Output:" comment of an example in the named directory:
//
//	<!-- printed by examples/tutorial -->
//
// A page that says something else about a program than what the program does is a
// failing test.
//
// # What it is not
//
// It does not check prose, spelling or addresses outside of the repository.
package docs
